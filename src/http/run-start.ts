import type { Context } from "hono";
import { v7 as uuid7 } from "uuid";
import type { RunRequest, StartRun } from "../thread/protocol.ts";
import { requestConditions } from "./request-conditions.ts";
import type { RequestedThread } from "./thread-call.ts";

/** Whoever is known by authentication answers under that name, and no other. */
function answererOf(context: Context, { input }: RunRequest): Pick<RunRequest, "answeredBy"> {
  const { caller } = context.get("principal");
  return input.kind === "answers" && caller !== "" ? { answeredBy: caller } : {};
}

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
    request: { ...request, ...answererOf(context, request), ...(ifMatch !== undefined && { ifMatch }) },
    ...(idempotency !== undefined && { idempotency }),
  };
}
