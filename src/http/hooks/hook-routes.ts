import type { Context } from "hono";
import { uuid7 } from "../../uuid7.ts";
import * as v from "valibot";
import { Hono } from "../hono.ts";
import { RefusedError, TidemarkError } from "../../errors.ts";
import { type Hook, readHook } from "../../hooks/hook-token.ts";
import type { Reply, ThreadApi } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { parseBody, readText } from "../requests/body.ts";
import { statusOf } from "../errors.ts";
import { messagePage, PAGE_HEADERS, questionPage } from "./hook-page.ts";
import { objectName } from "../object-name.ts";
import { idempotencyKey, idempotencyOf } from "../requests/request-conditions.ts";
import { noteOfRequest } from "../middleware/request-log.ts";
import { callThread } from "../thread-stub.ts";

const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** Links that answer a question. What they are allowed says their signature, and nothing else. */
export function hookRoutes(options: AppOptions): Hono {
  const app = new Hono();
  app.onError((error, context) => {
    if (!(error instanceof TidemarkError) || !isForPeople(context)) throw error;
    return context.html(messagePage("This link", error.message), statusOf(error.code), PAGE_HEADERS);
  });

  app.get("/:token", async (context) => {
    const question = await hooked(context, options, async (api, hook) => {
      const reply = await api.readHook(hook);
      return reply.ok ? { ok: true, value: await new Response(reply.value).text() } : reply;
    });
    const text = JSON.stringify(JSON.parse(question), null, 2);
    return context.html(questionPage(text), 200, PAGE_HEADERS);
  });

  app.post("/:token", async (context) => {
    const value = await answerIn(context, options.maxBodySize);
    const runId = uuid7();
    const key = idempotencyKey(context);
    const idempotency = key === undefined ? undefined : await idempotencyOf(key, context, value);
    await hooked(context, options, (api, hook) => api.answerHook(hook, runId, value, idempotency));
    if (isForPeople(context))
      return context.html(messagePage("Thank you", "Your answer was taken."), 200, PAGE_HEADERS);
    return context.json({ accepted: true }, 200, { "cache-control": "no-store" });
  });

  return app;
}

/** Asks the thread that the link leads to. */
async function hooked<Value>(
  context: Context,
  { hookKeys, threads }: AppOptions,
  ask: (api: ThreadApi, hook: Hook) => Promise<Reply<Value>>,
): Promise<Value> {
  const token = context.req.path.split("/").at(-1) ?? "";
  const hook = await readHook(hookKeys(context.env) ?? [], token, Date.now());
  noteOfRequest(context, { tenant: hook.tenant, thread_id: hook.threadId });
  const name = objectName(hook.tenant, hook.threadId);
  const reply = await callThread(threads(context.env, { tenant: hook.tenant }), name, (api) =>
    ask(api, hook),
  );
  if (reply.ok) return reply.value;
  const { code, message, details } = reply.error;
  throw new RefusedError(code, message, { details });
}

/** A JSON value; in a form what is JSON, or else the text as it is. */
async function answerIn(context: Context, limit: number): Promise<unknown> {
  const { req } = context;
  if (req.raw.body === null)
    throw new RefusedError("invalid_request", "The answer is missing: send it as JSON.");
  if (!FORM.test(req.header("content-type") ?? "")) return parseBody(req, v.unknown(), limit);
  const text = new URLSearchParams(await readText(req, limit)).get("value") ?? "";
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isForPeople({ req }: Context): boolean {
  return req.method !== "POST" || FORM.test(req.header("content-type") ?? "");
}
