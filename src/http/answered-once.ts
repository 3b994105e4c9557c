import type { Context, MiddlewareHandler } from "hono";
import * as v from "valibot";
import { GRAPH_CRONS } from "../graph-crons.ts";
import type { KeyedCall } from "../thread/protocol.ts";
import type { AppOptions } from "./app.ts";
import { parseBody } from "./body.ts";
import { keeperOf } from "./cron-access.ts";
import { idempotencyKey, idempotencyOf } from "./request-conditions.ts";
import { routeOf } from "./route-of.ts";
import { call, refusal, type RequestedThread, requestedThread } from "./thread-call.ts";

/** Where the answer of a call is kept under its key: with the thread that it is about, or with what else its tenant has. */
const KEEPERS: Readonly<Record<string, "thread" | "tenant">> = {
  "POST /threads/:thread_id/runs/:run_id/cancel": "thread",
  "POST /threads/:thread_id/runs/crons": "thread",
  "POST /threads/:thread_id/copy": "thread",
  // Of the thread nothing may be left.
  "POST /threads/:thread_id/prune": "tenant",
  "POST /threads/prune": "tenant",
  "POST /runs/cancel": "tenant",
  "POST /runs/crons": "tenant",
  "POST /assistants": "tenant",
  "POST /assistants/:assistant_id/latest": "tenant",
  "POST /directory/rebuild": "tenant",
};

/** In characters. A call with a longer answer is made again, which has to come to the same. */
const MAX_ANSWER = 256 * 1024;

declare module "hono" {
  interface ContextVariableMap {
    /** The same call has come before, and what it was answered is not known. */
    isRepeated: boolean;
  }
}

/**
 * Answers a call that comes again with its `Idempotency-Key` as it was answered the first time, where nothing else tells what it
 * has come to. Runs, edits, events and new threads have their keys themselves.
 */
export function answeredOnce(options: AppOptions): MiddlewareHandler {
  return async (context, next) => {
    const keyed = await keyedCall(context, options);
    if (keyed === undefined) return next();
    const { thread, named } = keyed;
    const claimed = await call(thread, (api) => api.claimKey(named));
    if (!claimed.ok) return refusal(context, claimed);
    if (claimed.value) return repeated(claimed.value);
    context.set("isRepeated", claimed.value === "");
    const settled = next().then(() => settle(context, keyed).catch(options.report));
    // Also when the client goes, who may ask again.
    context.executionCtx.waitUntil(settled);
    return settled;
  };
}

interface Keyed {
  /** What keeps the answer. */
  readonly thread: RequestedThread;
  readonly named: KeyedCall;
}

async function keyedCall(context: Context, options: AppOptions): Promise<Keyed | undefined> {
  const route = routeOf(context);
  const keeper = route && KEEPERS[`${route.method} ${route.path}`];
  const key = keeper && idempotencyKey(context);
  if (key === undefined) return undefined;
  const body = await parseBody(context.req, v.unknown(), options.maxBodySize);
  const idempotency = await idempotencyOf(key, context, body);
  if (keeper === "thread") {
    const thread = requestedThread(context, options);
    return { thread, named: { ...thread.address, idempotency } };
  }
  const thread = keeperOf(context, options, GRAPH_CRONS);
  const caller = JSON.stringify([idempotency.caller, context.req.path]);
  return { thread, named: { ...thread.address, idempotency: { ...idempotency, caller } } };
}

/** Another call may have been answered by now, as which this one is answered where it was refused. */
async function settle(context: Context, { thread, named }: Keyed): Promise<void> {
  const answer = await answerOf(context);
  if (answer === undefined) return;
  const known = await call(thread, (api) => api.settleKey(named, answer));
  if (known.ok && known.value) context.res = repeated(known.value);
}

type Kept = readonly [body: string, status: number, headers: [string, string][]];

/** "" for a refusal, undefined for an answer that is too long. */
async function answerOf({ res }: Context): Promise<string | undefined> {
  if (!res.ok) return "";
  const body = await res.clone().text();
  if (body.length > MAX_ANSWER) return undefined;
  const kept: Kept = [body, res.status, [...res.headers]];
  return JSON.stringify(kept);
}

function repeated(answer: string): Response {
  // What `answerOf` has written.
  const [body, status, headers] = JSON.parse(answer) as Kept;
  return new Response(body || null, { status, headers });
}
