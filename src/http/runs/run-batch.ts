import { discard } from "../../discard.ts";
import type { Reply, StartRun } from "../../thread/protocol.ts";
import { removeThread } from "../threads/remove-thread.ts";
import { callToldRun, type WholeRun } from "./run-answers.ts";
import { call, type RequestedThread } from "../thread-call.ts";

/** A run with the thread that is made for it. */
interface OwnRun {
  readonly thread: RequestedThread;
  readonly start: StartRun;
}

/** Starts all of the runs or none: when one is refused, nothing stays of those before it. */
export async function startTogether(runs: readonly OwnRun[]): Promise<Reply<readonly WholeRun[]>> {
  const earlier = await Promise.all(runs.map(isThere));
  const started: WholeRun[] = [];
  const made: RequestedThread[] = [];
  let areAllStarted = false;
  try {
    for (const [index, { thread, start }] of runs.entries()) {
      if (earlier[index] === false) made.push(asItsMaker(thread));
      const reply = await callToldRun(thread, (api) => api.startRun(start));
      if (!reply.ok) return reply;
      started.push(reply.value);
    }
    areAllStarted = true;
    return { ok: true, value: started };
  } finally {
    if (!areAllStarted) await Promise.all(made.map(removeThread));
  }
}

/** Whether the same call has started the run before: only with a key it can have come before. */
async function isThere({ thread, start }: OwnRun): Promise<boolean> {
  if (start.idempotency === undefined) return false;
  const own = asItsMaker(thread);
  const reply = await call(own, (api) => api.getRun({ ...own.address, runId: start.runId }));
  if (reply.ok) await discard(reply.value.run);
  return reply.ok;
}

/** What handlers let the caller know of is not asked about what the call itself has made. */
function asItsMaker({ address: { tenant, threadId }, ...thread }: RequestedThread): RequestedThread {
  return { ...thread, address: { tenant, threadId } };
}
