import type { Context } from "hono";
import { callerConfigurable } from "../../caller-configurable.ts";
import type { RequestedConfig, RunRequest } from "../../thread/protocol.ts";
import { authorize, authorizedMetadata } from "./authorization.ts";

interface NewRun {
  /** Undefined: it gets one of its own. */
  readonly threadId: string | undefined;
  readonly runId: string;
}

/**
 * Asks whether the caller may start the run. What comes back says who has started it; its metadata is what handlers have made
 * of it, which a thread that is made for the run gets too.
 */
export async function authorizedRun(
  context: Context,
  { threadId, runId }: NewRun,
  request: RunRequest,
): Promise<RunRequest> {
  const run = { ...request, config: callerConfig(context, request.config) };
  if (context.get("principal").authorize === undefined) return run;
  const asked = { thread_id: threadId, run_id: runId, ...toldRun(run) };
  const { metadata } = await authorize(context, "threads:create_run", asked);
  const threadMetadata = authorizedMetadata(metadata);
  return { ...run, config: { ...run.config, metadata: threadMetadata }, threadMetadata };
}

/** The configuration of a run, with who has started it. What the request itself says of that is left out. */
export function callerConfig(context: Context, config: RequestedConfig): RequestedConfig {
  const { configurable, ...others } = config;
  const whole = callerConfigurable(configurable, context.get("principal").configurable);
  return configurable === undefined && Object.keys(whole).length === 0
    ? config
    : { ...others, configurable: whole };
}

/** A run in the words of LangGraph's platform. */
export function toldRun({ assistant, graph, config, input, context, multitask, delay }: RunRequest) {
  return {
    assistant_id: assistant ?? graph,
    status: "pending",
    metadata: { ...config.metadata },
    multitask_strategy: multitask ?? "enqueue",
    prevent_insert_if_inflight: multitask === "reject",
    after_seconds: (delay ?? 0) / 1000,
    kwargs: {
      ...(input.kind === "input" ? { input: input.value } : { input: null, command: input }),
      config: {
        recursion_limit: config.recursionLimit,
        tags: config.tags,
        configurable: config.configurable,
      },
      context,
    },
  };
}
