import { requestedOptions, type RunOptionsBody } from "./run-options.ts";
import type { RequestedConfig, RequestedInput, RunRequest } from "../../thread/protocol.ts";
import type { InvokeRequest, ResumeRequest, RunConfigBody, StreamRequest } from "../requests/schemas.ts";

/** From the wire's words to those of the thread. */

export function invokeRequest(body: InvokeRequest): RunRequest {
  const { graph, input, on_interrupted: onInterrupted } = body;
  const requested: RequestedInput =
    input === undefined || input === null ? { kind: "continue" } : { kind: "input", value: input };
  return {
    ...common(body),
    ...(graph === undefined ? {} : { graph }),
    input: requested,
    onInterrupted,
    modes: [],
  };
}

export function streamRequest({
  stream_mode: mode,
  stream_subgraphs: subgraphs,
  ...body
}: StreamRequest): RunRequest {
  return { ...invokeRequest(body), modes: typeof mode === "string" ? [mode] : mode, subgraphs };
}

export function resumeRequest(body: ResumeRequest): RunRequest {
  const answers = "values" in body ? Object.entries(body.values) : [[body.interrupt_id, body.value] as const];
  return {
    ...common(body),
    input: { kind: "answers", answers },
    ...(body.answered_by !== undefined && { answeredBy: body.answered_by }),
    onInterrupted: "refuse",
    modes: [],
  };
}

interface Common extends RunOptionsBody {
  readonly config: RunConfigBody;
  readonly context?: unknown;
  readonly checkpoint_id?: string | undefined;
}

function common({
  config,
  context,
  checkpoint_id: checkpointId,
  ...options
}: Common): Pick<RunRequest, "config" | "context" | "checkpointId"> & ReturnType<typeof requestedOptions> {
  return {
    config: requestedConfig(config),
    ...requestedOptions(options),
    ...(context === undefined ? {} : { context }),
    ...(checkpointId === undefined ? {} : { checkpointId }),
  };
}

export function requestedConfig({
  recursion_limit: recursionLimit,
  configurable,
  tags,
  metadata,
}: RunConfigBody): RequestedConfig {
  return {
    ...(recursionLimit === undefined ? {} : { recursionLimit }),
    ...(configurable === undefined ? {} : { configurable }),
    ...(tags === undefined ? {} : { tags }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}
