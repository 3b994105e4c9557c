import type { Context } from "hono";
import * as v from "valibot";
import { Hono } from "../hono.ts";
import { discard } from "../../discard.ts";
import type { CancelRun, Reply } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { accessTo, authorize } from "../auth/authorization.ts";
import { parseBody, parseQuery } from "../requests/body.ts";
import { once } from "../once.ts";
import { CancelManyQuery, CancelRunsBody } from "./runs-schemas.ts";
import { directoryOf } from "../threads/search-routes.ts";
import { call, callWhole, namedThread, refusal, type RequestedThread } from "../thread-call.ts";
import { requireThreadId } from "../requests/thread-id.ts";

type Refused = Extract<Reply<unknown>, { ok: false }>;
type Status = "pending" | "running";

const OLDEST_FIRST = { by: "created_at", descending: false } as const;
/** Threads, or runs of a thread, that are asked for first; of as many as that, for twice as many. */
const PAGE = 1000;
/** What is gone by itself. */
const GONE: ReadonlySet<string> = new Set(["thread_not_found", "run_not_found"]);

const Runs = v.array(v.object({ run_id: v.string() }));

/** Ending several runs: those that are named, or all of a thread, or of all threads, that are in this status. */
export function cancelRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/cancel", async (context) => {
    const { action } = parseQuery(context.req, CancelManyQuery);
    const body = await parseBody(context.req, CancelRunsBody, options.maxBodySize);
    const { thread_id: threadId, run_ids: runIds, status } = body;
    const statuses: readonly Status[] =
      status == null || status === "all" ? ["pending", "running"] : [status];
    const ids = threadId == null ? await threadsOf(context, options, runIds) : [requireThreadId(threadId)];
    const threads: RequestedThread[] = [];
    for (const id of ids) {
      await authorize(context, "threads:update", { thread_id: id });
      threads.push(namedThread(context, options, id));
    }
    const make = async (): Promise<Response> => {
      for (const thread of threads) {
        // A run without a thread of its caller's goes by the id of its own.
        const named = threadId == null && runIds != null ? [thread.address.threadId] : runIds;
        const refused = await cancelIn(thread, action, named ?? statuses.map((each) => ({ status: each })));
        if (refused !== undefined) return refusal(context, refused);
      }
      return context.body(null, 204);
    };
    return once(context, options, make, () => context.body(null, 204));
  });

  return app;
}

async function threadsOf(
  context: Context,
  options: AppOptions,
  runIds: readonly string[] | null | undefined,
): Promise<readonly string[]> {
  if (runIds != null) return runIds.map(requireThreadId);
  await authorize(context, "threads:update", {});
  const access = accessTo(context, "threads");
  const busy = { metadata: {}, extract: {}, status: "busy", ...(access && { access }) } as const;
  for (let count = PAGE; ; count *= 2) {
    const found = await directoryOf(context, options).findThreads(busy, OLDEST_FIRST, count);
    if (found.length < count) return found.map(({ threadId }) => threadId);
  }
}

async function cancelIn(
  thread: RequestedThread,
  action: CancelRun["action"],
  wanted: readonly (string | { readonly status: Status })[],
): Promise<Refused | undefined> {
  for (const each of wanted) {
    const runs = typeof each === "string" ? [each] : await runsIn(thread, each.status);
    if ("error" in runs) return runs;
    for (const runId of runs) {
      const cancel = { ...thread.address, runId, action, wait: false };
      const reply = await call(thread, async (api): Promise<Reply<null>> => {
        const told = await api.cancelRun(cancel);
        if (!told.ok) return told;
        await discard(told.value.run);
        return { ok: true, value: null };
      });
      if (!reply.ok && !GONE.has(reply.error.code)) return reply;
    }
  }
  return undefined;
}

async function runsIn(thread: RequestedThread, status: Status): Promise<readonly string[] | Refused> {
  for (let limit = PAGE; ; limit *= 2) {
    const list = { ...thread.address, status, limit, offset: 0, select: ["run_id"] };
    const reply = await callWhole(thread, (api) => api.listRuns(list));
    if (!reply.ok) return GONE.has(reply.error.code) ? [] : reply;
    const runs = v.parse(Runs, JSON.parse(new TextDecoder().decode(reply.value)));
    if (runs.length < limit) return runs.map(({ run_id: id }) => id);
  }
}
