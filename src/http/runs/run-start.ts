import type { Context } from "hono";
import { uuid7 } from "../../uuid7.ts";
import type { RequestedInput, RunRequest, StartRun } from "../../thread/protocol.ts";
import { accessTo } from "../auth/authorization.ts";
import { authorizedRun } from "../auth/authorized-run.ts";
import { atNamedPlace, type NamedPlace } from "../requests/named-place.ts";
import { requestConditions } from "../requests/request-conditions.ts";
import { noteOfRequest } from "../middleware/request-log.ts";
import type { RequestedThread } from "../thread-call.ts";

/** Whoever is known by authentication answers under that name; another that is given is whom the answer is given for. */
function answererOf(
  context: Context,
  { input, answeredBy: given }: RunRequest,
): Pick<RunRequest, "answeredBy" | "onBehalfOf"> {
  const { caller } = context.get("principal");
  if (!mayAnswer(input) || caller === "") return {};
  return { answeredBy: caller, ...(given !== undefined && given !== caller && { onBehalfOf: given }) };
}

function mayAnswer(input: RequestedInput): boolean {
  if (input.kind === "input") return input.mayAnswer === true;
  return input.kind === "answers" || (input.kind === "command" && input.resume !== undefined);
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** What the request is a part of, by W3C Trace Context. What is none is ignored, as it says. */
function traceOf({ req }: Context): Pick<RunRequest, "traceparent"> {
  const traceparent = req.header("traceparent") ?? "";
  return TRACEPARENT.test(traceparent) ? { traceparent } : {};
}

/**
 * The run's id is minted here: a call that is repeated finds the run that it has started. `body`: what the request says, for
 * its key; `checkpoint`: where the run begins.
 */
export async function startOf(
  context: Context,
  thread: RequestedThread,
  body: unknown,
  requested: RunRequest,
  checkpoint: NamedPlace = {},
): Promise<StartRun> {
  const request = atNamedPlace(thread.address.threadId, requested, checkpoint);
  const { idempotency, ifMatch } = await requestConditions(context, body);
  const { tenant, threadId } = thread.address;
  const runId = uuid7();
  noteOfRequest(context, { run_id: runId });
  const authorized = await authorizedRun(context, { threadId, runId }, request);
  const access = accessTo(context, "threads");
  return {
    tenant,
    threadId,
    ...(access !== undefined && { access }),
    runId,
    request: {
      ...authorized,
      ...answererOf(context, request),
      ...traceOf(context),
      ...(ifMatch !== undefined && { ifMatch }),
    },
    ...(idempotency !== undefined && { idempotency }),
  };
}
