import type { Context } from "hono";
import { discard } from "../../discard.ts";
import type { RunRequest, StartRun } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { check } from "../requests/body.ts";
import { withAssistant } from "../runs/run-assistant.ts";
import { createdRunRequest, RunCreateBody } from "../runs/run-create.ts";
import { startOf } from "../runs/run-start.ts";
import { call, type RequestedThread } from "../thread-call.ts";
import { ProtocolError } from "./protocol-error.ts";
import { InputRespondParams, RunStartParams, StateForkParams } from "./schemas.ts";
import { callFailed, type CommandResult } from "./command-result.ts";

/** Commands that start a run. What it tells is kept for those who listen to the thread. */

interface Parts {
  readonly context: Context;
  readonly options: AppOptions;
  readonly thread: RequestedThread;
}

const INTERRUPT_ID = /^[0-9a-f]{32}$/;

/** On a thread that asks one thing, an input is the answer. */
export async function startRun(parts: Parts, params: unknown): Promise<CommandResult> {
  const { multitask_strategy, multitaskStrategy, ...body } = check(RunStartParams, params, "params");
  const strategy = multitask_strategy ?? multitaskStrategy;
  const request = await requested(parts, {
    ...body,
    ...(strategy != null && { multitask_strategy: strategy }),
  });
  const { input } = request;
  const isFollowing = strategy != null;
  const mayAnswer = input.kind === "input" ? { ...input, mayAnswer: true, isFollowing } : input;
  const { runId, after } = await start(parts, { ...request, input: mayAnswer });
  return { result: { run_id: runId }, after };
}

export async function respond(parts: Parts, params: unknown): Promise<CommandResult> {
  const { update, goto, config, metadata, ...given } = check(InputRespondParams, params, "params");
  const answers = "responses" in given ? given.responses : [given];
  const entries = answers.map(({ interrupt_id: id, response }) => [id, response] as const);
  const unknown = entries.find(([id]) => !INTERRUPT_ID.test(id));
  if (unknown !== undefined) throw noSuchInterrupt(unknown[0]);
  const command = { resume: Object.fromEntries(entries), update, goto };
  const request = await requested(parts, { command, config, metadata });
  const { runId, after } = await start(parts, request, { mustExist: true });
  return { result: { run_id: runId }, after };
}

export async function fork(parts: Parts, params: unknown): Promise<CommandResult> {
  const body = check(StateForkParams, params, "params");
  const request = await requested(parts, body);
  const { runId, after } = await start(parts, request, { mustExist: true });
  return { result: { run_id: runId, thread_id: parts.thread.address.threadId }, after };
}

/** From a body as it is sent to the platform's paths. */
async function requested({ context, options }: Parts, given: object): Promise<RunRequest> {
  const checked = check(
    RunCreateBody,
    {
      ...given,
      stream_mode: ["values", "updates", "custom"],
      stream_subgraphs: true,
      on_interrupted: "refuse",
    },
    "params",
  );
  const { graph, body } = await withAssistant(context, options, checked);
  return { ...createdRunRequest(body, graph), isForProtocol: true };
}

async function start(
  { context, thread }: Parts,
  request: RunRequest,
  conditions: Pick<StartRun, "mustExist"> = {},
): Promise<{ readonly runId: string; readonly after: number }> {
  const isBranch = request.checkpointId !== undefined || namesCheckpoint(request);
  // A branch leaves the question behind at the checkpoint where it was asked.
  const branched: RunRequest = isBranch ? { ...request, onInterrupted: "discard" } : request;
  const begun = await startOf(context, thread, request, branched);
  const reply = await call(thread, (api) => api.startRun({ ...begun, ...conditions, isAcknowledged: true }));
  if (!reply.ok) throw callFailed(reply.error);
  const { run, runId, after } = reply.value;
  await discard(run);
  return { runId, after };
}

function namesCheckpoint({ config }: RunRequest): boolean {
  return config.configurable?.["checkpoint_id"] != null;
}

function noSuchInterrupt(id: string): ProtocolError {
  return new ProtocolError("no_such_interrupt", `Nothing is asked under the id "${id}".`, {
    details: { interrupt_id: id },
  });
}
