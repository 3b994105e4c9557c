import * as v from "valibot";
import { uuid7 } from "../../uuid7.ts";
import { Hono } from "../hono.ts";
import { RefusedError, TidemarkError } from "../../errors.ts";
import type { AppOptions } from "../app-options.ts";
import { isPrincipalName } from "../auth/principal.ts";
import { parseJson, readBytes } from "../requests/body.ts";
import { checkEvent } from "../events/inbound-event-schemas.ts";
import { objectName } from "../object-name.ts";
import { pathPart } from "../requests/path-part.ts";
import { noteOfRequest } from "../middleware/request-log.ts";
import { refusal } from "../thread-call.ts";
import { requireThreadId } from "../requests/thread-id.ts";
import { callThread } from "../thread-stub.ts";
import type { WebhookSource } from "./source.ts";

/** What others report by webhooks: each source proves itself by its own signature, and by nothing else. */
export function webhookRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/:source", async (context) => {
    const name = pathPart(context.req.path, 2);
    const source = sourceOf(options.webhooks ?? {}, name);
    const env = context.env as Cloudflare.Env;
    const body = await readBytes(context.req, options.maxBodySize);
    const delivery = { headers: context.req.raw.headers, body };
    const isSigned: unknown = await source.verify(delivery, env);
    if (isSigned !== true) throw notSigned(name);
    const event = routed(name, await source.route(parseJson(new TextDecoder().decode(body)), delivery, env));
    if (event == null) return context.json({ status: "ignored" });
    await checkEvent(options.eventSchemas, event.key, event.payload);
    const sent = sentEvent(name, event);
    noteOfRequest(context, { tenant: sent.tenant, thread_id: sent.threadId });
    const object = objectName(sent.tenant, sent.threadId);
    const reply = await callThread(options.threads(env, { tenant: sent.tenant }), object, (api) =>
      api.sendEvent(sent),
    );
    return reply.ok ? context.json(reply.value) : refusal(context, reply);
  });

  return app;
}

/** Deliveries without ids of their own would all be one. */
const RoutedEvent = v.nullish(
  v.object({
    thread: v.string(),
    key: v.string(),
    id: v.pipe(v.string(), v.minLength(1)),
    payload: v.optional(v.unknown()),
    tenant: v.optional(v.pipe(v.string(), v.check(isPrincipalName)), ""),
  }),
);

function routed(source: string, said: unknown): v.InferOutput<typeof RoutedEvent> {
  const result = v.safeParse(RoutedEvent, said);
  if (result.success) return result.output;
  const at = v.getDotPath(result.issues[0]) ?? "the whole";
  const message = `The configured source of webhooks "${source}" has taken a delivery for something that is no event, at ${at}.`;
  throw new TidemarkError("invalid_webhook_source", message);
}

type Routed = NonNullable<v.InferOutput<typeof RoutedEvent>>;

function sentEvent(source: string, { thread, key, id, payload, tenant }: Routed) {
  return {
    tenant,
    threadId: requireThreadId(thread),
    eventId: uuid7(),
    key,
    payload,
    delivery: JSON.stringify([source, id]),
  };
}

function sourceOf(sources: Readonly<Record<string, WebhookSource>>, name: string): WebhookSource {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (source !== undefined) return source;
  throw new RefusedError("not_found", `This deployment has no source of webhooks "${name}".`);
}

function notSigned(source: string): RefusedError {
  return new RefusedError(
    "invalid_signature",
    `The delivery does not carry a signature of the source "${source}" that holds. Nothing was changed.`,
  );
}
