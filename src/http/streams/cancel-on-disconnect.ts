import type { Context } from "hono";
import { discard } from "../../discard.ts";
import type { CancelRun, StartedBy, StartRun } from "../../thread/protocol.ts";
import type { Disconnection } from "./disconnection.ts";
import type { AppOptions } from "../app-options.ts";
import { requirePermission } from "../auth/authentication.ts";
import { authorize } from "../auth/authorization.ts";
import { call, refusal, requestedThread, type RequestedThread } from "../thread-call.ts";

/** Why the caller, who only reads the run else, may not cancel it. */
export async function refusalToCancel(
  context: Context,
  options: AppOptions,
  thread: RequestedThread,
  runId: string,
): Promise<Response | undefined> {
  requirePermission(context, "threads:update");
  const asReader = context.get("access");
  await authorize(context, "threads:update", { thread_id: thread.address.threadId, run_id: runId });
  const { address } = requestedThread(context, options);
  context.set("access", asReader);
  const reply = await call(thread, (api) => api.getRun({ ...address, runId }));
  if (!reply.ok) return refusal(context, reply);
  await discard(reply.value.run);
  return undefined;
}

/** Cancels the run when the client goes before its end. `start`: only if that has started it, or an earlier call with its key. */
export function cancelOnDisconnect(thread: RequestedThread, runId: string, start?: StartRun): Disconnection {
  const { tenant, threadId } = thread.address;
  const cancelled: CancelRun = {
    tenant,
    threadId,
    runId,
    action: "interrupt",
    wait: false,
    ...(start !== undefined && { startedBy: startedBy(start) }),
  };
  return {
    onGone: () => call(thread, (api) => api.cancelRun(cancelled)),
  };
}

function startedBy({ runId, idempotency }: StartRun): StartedBy {
  return { runId, ...(idempotency !== undefined && { idempotency }) };
}
