import type { BaseStore } from "../../checkpoint/store/base-store.ts";
import type { Environment } from "../../pregel/environment.ts";
import type { RunOptions } from "../../pregel/pregel-options.ts";
import type { RunRow } from "../runs/run-row.ts";
import type { RequestedConfig, RunRequest } from "../runs/run-request.ts";
import { boundMetadata } from "../thread-metadata.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { LimitedRun } from "./limited-run.ts";
import type { RunGuard } from "./run-guard.ts";
import type { RunListener } from "./run-listener.ts";

/** An attempt of a run, and what follows it on its way. */
export interface AttemptedRun {
  readonly run: RunRow;
  readonly request: RunRequest;
  readonly limited: LimitedRun;
  readonly guard: RunGuard;
  readonly listener: RunListener;
}

export interface RunOptionsParts {
  readonly storage: ThreadStorage;
  readonly environment: Environment;
  readonly threadId: () => string;
  /** What nodes get in place of a store of the graph's own. */
  readonly store: () => BaseStore | undefined;
}

/** What the graph is run with. */
export function runOptions(
  { run, request, limited: { limits, options: limitOptions }, guard, listener }: AttemptedRun,
  parts: RunOptionsParts,
  signal: AbortSignal,
): RunOptions {
  const { storage, environment } = parts;
  const { config } = request;
  const store = parts.store();
  return {
    ...(limits === undefined ? {} : { limits, limitOptions }),
    ...(config.recursionLimit === undefined ? {} : { recursionLimit: config.recursionLimit }),
    ...(config.tags === undefined ? {} : { tags: config.tags }),
    ...(config.metadata === undefined ? {} : { metadata: config.metadata }),
    configurable: {
      ...ownConfigurable(config.configurable),
      ...boundMetadata({}, storage.thread()?.graph ?? "", request.assistant),
      run_id: run.id,
      thread_id: parts.threadId(),
      checkpoint_ns: "",
      ...(!run.inputApplied && request.checkpointId !== undefined && { checkpoint_id: request.checkpointId }),
    },
    context: request.context,
    runId: run.id,
    checkpointer: storage.saverFor(guard, listener.stage),
    environment,
    ...(store !== undefined && { store }),
    modes: listener.modes,
    subgraphs: listener.subgraphs,
    emit: (event) => listener.hear(event),
    signal,
    onInputApplied: (lastStep, start, step) => guard.applyInput(lastStep, start, step),
    ...(run.lastStep === undefined ? {} : { lastStep: run.lastStep }),
    onInterrupted: request.onInterrupted,
    ...(request.interruptBefore !== undefined && { interruptBefore: request.interruptBefore }),
    ...(request.interruptAfter !== undefined && { interruptAfter: request.interruptAfter }),
    isReentry: run.inputApplied,
  };
}

/** What the caller may configure: which checkpoint of which thread is said elsewhere. */
function ownConfigurable(configurable: RequestedConfig["configurable"] = {}): Record<string, unknown> {
  const {
    thread_id: _thread,
    checkpoint_id: _id,
    checkpoint_ns: _ns,
    checkpoint_map: _map,
    ...own
  } = configurable;
  return own;
}
