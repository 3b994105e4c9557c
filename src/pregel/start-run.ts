import { InvalidArgumentError } from "../errors.ts";
import { GraphInterrupt } from "../interrupt-error.ts";
import { isParentCommand, ParentCommand } from "./nested-errors.ts";
import { exclusively } from "./exclusive.ts";
import { LimitReachedError, type LimitReached } from "./limits.ts";
import { runLoop } from "./loop.ts";
import { leaveOrigins, visiting } from "./nested-run.ts";
import type { RunContext } from "./run-context.ts";
import { RunControl } from "./run-control.ts";
import { parseRunInput } from "./run-input.ts";
import type { SpanResult } from "./span.ts";
import { locate } from "./subgraphs.ts";
import type { RunOutcome } from "./types.ts";

/** Runs alone: one run a thread, or, inside a task, as a part of the task. */
export function startRun(run: RunContext, input: unknown): Promise<RunOutcome> {
  const work = (): Promise<RunOutcome> => {
    const { timeout } = run;
    return timeout === undefined ? runLoop(run, parseRunInput(input)) : runInTime(run, input, timeout);
  };
  const { nesting } = run;
  if (nesting === undefined) return exclusively(run.saver, run.config.configurable, work);
  const visit = async (): Promise<RunOutcome> => {
    const outcome = await visiting(run, work);
    const { checkpoint_ns: namespace = "" } = run.config.configurable ?? {};
    run.span?.endGraph?.(namespace, resultOf(outcome));
    if (outcome.status === "success" && nesting.task.origins.all.length > 0) await leaveOrigins(run, nesting);
    return outcome;
  };
  return nesting.task.follow(visit(), (outcome) => outcome);
}

/** Of a graph inside a task: a Command for the graph around it is no failure. */
function resultOf(outcome: RunOutcome): SpanResult {
  switch (outcome.status) {
    case "success":
      return { status: "done" };
    case "interrupted":
      return { status: "interrupted" };
    case "failed":
      return isParentCommand(outcome.error) ? { status: "done" } : { status: "failed", error: outcome.error };
    case "refused":
      return { status: "failed", error: outcome.error };
    case "cancelled":
    case "limited":
      return { status: "left" };
  }
}

async function runInTime(run: RunContext, input: unknown, timeout: number): Promise<RunOutcome> {
  const ended = new AbortController();
  const late = new AbortController();
  void run.environment.sleep(timeout, ended.signal).then(() => {
    if (ended.signal.aborted) return;
    late.abort(new DOMException(`The run was aborted: it took more than ${timeout} ms.`, "TimeoutError"));
  });
  try {
    const signal = AbortSignal.any([run.signal, late.signal]);
    return await runLoop({ ...run, signal }, parseRunInput(input));
  } finally {
    ended.abort();
  }
}

/** Inside a task, a question and a Command for the graph around leave through the node that called. */
export function throwUnlessEnded({ nesting }: RunContext, outcome: RunOutcome): void {
  if (nesting !== undefined && outcome.status === "interrupted") throw new GraphInterrupt(outcome.interrupts);
  if (nesting !== undefined && outcome.status === "failed" && isParentCommand(outcome.error)) {
    throw new ParentCommand(outcome.error.command, nesting.task);
  }
  if (outcome.status === "failed" || outcome.status === "refused") throw outcome.error;
  if (outcome.status === "limited") throw new LimitReachedError(limitOf(outcome));
  if (outcome.status === "cancelled") throw outcome.reason;
}

/** A config inside a task names checkpoints of the graphs around it too: the run begins at the root's. */
export function atRoot(given: RunContext): RunContext {
  const { control = new RunControl() } = given.config;
  const run = { ...given, config: { ...given.config, control } };
  const {
    checkpoint_ns: namespace = "",
    checkpoint_map,
    checkpoint_id,
    ...configurable
  } = run.config.configurable ?? {};
  if (!locate(run.graph, namespace).isNested) return run;
  const rootId = checkpoint_map?.[""];
  const isNamed = checkpoint_id !== undefined && rootId !== undefined;
  return {
    ...run,
    config: {
      ...run.config,
      configurable: {
        ...configurable,
        checkpoint_ns: "",
        ...(isNamed ? { checkpoint_id: rootId } : {}),
      },
    },
    ...(isNamed ? { standsAt: { ...checkpoint_map, [namespace]: checkpoint_id } } : {}),
  };
}

function limitOf({ limit, used, allowed }: LimitReached): LimitReached {
  return { limit, used, allowed };
}

export function noRootHistory(): InvalidArgumentError {
  return new InvalidArgumentError(
    "invalid_checkpointer",
    "`checkpointer: true` is for graphs inside a node of another graph: a graph that is started by itself needs a saver.",
  );
}
