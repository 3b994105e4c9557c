import type { Context } from "hono";
import type { NamedRun } from "../thread/run-protocol.ts";
import type { Disconnection } from "./disconnection.ts";
import { call, type RequestedThread } from "./thread-call.ts";

/** Cancels the run when the client goes before its end, where that is wanted. */
export function cancelOnDisconnect(
  context: Context,
  thread: RequestedThread,
  { tenant, threadId, runId }: NamedRun,
  isWanted: boolean,
): Disconnection | undefined {
  if (!isWanted) return undefined;
  const cancelled = { tenant, threadId, runId, action: "interrupt", wait: false } as const;
  return {
    onGone: () => call(thread, (api) => api.cancelRun(cancelled)),
    waitUntil: (work) => context.executionCtx.waitUntil(work),
  };
}
