import type { Context } from "hono";
import { v7 as uuid7 } from "uuid";
import type { RunRequest, StartRun } from "../thread/protocol.ts";
import { requestConditions } from "./request-conditions.ts";
import type { RequestedThread } from "./thread-call.ts";

/** The run's id is minted here: a call that is repeated finds the run that it has started. */
export async function startOf(
  context: Context,
  thread: RequestedThread,
  body: unknown,
  request: RunRequest,
): Promise<StartRun> {
  const { idempotency, ifMatch } = await requestConditions(context, body);
  return {
    ...thread.address,
    runId: uuid7(),
    request: { ...request, ...(ifMatch !== undefined && { ifMatch }) },
    ...(idempotency !== undefined && { idempotency }),
  };
}
