import type { Context } from "hono";
import { uuid7 } from "../../uuid7.ts";
import { Hono } from "../hono.ts";
import type { AppOptions } from "../app-options.ts";
import { authorize } from "../auth/authorization.ts";
import { parseBody } from "../requests/body.ts";
import { checkEvent } from "./inbound-event-schemas.ts";
import { pathPart } from "../requests/path-part.ts";
import { requestConditions } from "../requests/request-conditions.ts";
import { AnyBody } from "../requests/schemas.ts";
import { call, namedThread, refusal, requestedThread } from "../thread-call.ts";

/** Events for nodes that wait for them. */
export function inboundEventRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/events/:key", async (context: Context) => {
    const { threadId } = requestedThread(context, options).address;
    const key = pathPart(context.req.path, 4);
    const payload = await parseBody(context.req, AnyBody, options.maxBodySize);
    await checkEvent(options.eventSchemas, key, payload);
    await authorize(context, "threads:create_run", { thread_id: threadId, metadata: {} });
    const thread = namedThread(context, options, threadId);
    const { idempotency } = await requestConditions(context, payload);
    const event = { ...thread.address, eventId: uuid7(), key, payload };
    const sent = { ...event, ...(idempotency === undefined ? {} : { idempotency }) };
    const reply = await call(thread, (api) => api.sendEvent(sent));
    return reply.ok ? context.json(reply.value) : refusal(context, reply);
  });

  return app;
}
