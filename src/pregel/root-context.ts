import { breakpointsOf } from "./breakpoints.ts";
import { checkMaxConcurrency, checkModes, checkRecursionLimit, checkStepTimeout } from "./check-options.ts";
import { durabilityOf } from "./durability.ts";
import { LimitWatch, parseLimits } from "./limits.ts";
import type { GraphOptions, RunOptions } from "./pregel-options.ts";
import type { RunContext } from "./run-context.ts";
import { shownChannels } from "./stream.ts";
import type { StreamMode } from "./types.ts";

const DEFAULT_RECURSION_LIMIT = 25;

const NO_MODES: ReadonlySet<StreamMode> = new Set();
/** What a node writes by its own hand is wanted wherever the node is. */
const CUSTOM: ReadonlySet<StreamMode> = new Set<StreamMode>(["custom"]);

/**
 * What a graph's options and those of a call come to for a run that is part of no task. Throws a `RefusedError` for options
 * that cannot be.
 */
export function rootContext(of: GraphOptions, options: RunOptions): RunContext {
  const {
    checkpointer,
    environment,
    modes = NO_MODES,
    subgraphs,
    emit,
    onResult,
    onInputApplied,
    onInterrupted,
    isReentry,
    lastStep,
    store,
    cache,
    span,
    interruptBefore,
    interruptAfter,
    durability,
    checkpointDuring,
    timeout,
    outputKeys,
    watchedKeys,
    limits,
    limitOptions,
    ...config
  } = options;
  const { recursionLimit = DEFAULT_RECURSION_LIMIT } = config;
  const surroundings = environment ?? of.environment;
  checkRecursionLimit(recursionLimit);
  checkMaxConcurrency(config.maxConcurrency);
  checkModes(modes);
  checkStepTimeout(of.stepTimeout);
  return {
    graph: of.graph,
    saver: checkpointer ?? (typeof of.checkpointer === "object" ? of.checkpointer : undefined),
    environment: surroundings,
    config,
    recursionLimit,
    modes,
    outputKeys: outputKeys ?? shownChannels(of.graph),
    watchedKeys: watchedKeys ?? outputKeys ?? shownChannels(of.graph),
    seenMessages: new Set(),
    nestedModes: subgraphs ? modes : modes.has("custom") ? CUSTOM : NO_MODES,
    emit: emit ?? (() => undefined),
    onResult,
    signal: config.signal ?? new AbortController().signal,
    timeout,
    onInputApplied: onInputApplied ?? (() => undefined),
    limits: limits && new LimitWatch(parseLimits(limits), surroundings, limitOptions),
    lastStep,
    span,
    onInterrupted: onInterrupted ?? "refuse",
    breakpoints: breakpointsOf(interruptBefore ?? of.interruptBefore, interruptAfter ?? of.interruptAfter),
    isReentry: isReentry ?? false,
    store: store ?? of.store,
    cache: cache ?? of.cache,
    durability: durabilityOf({
      ...(durability === undefined ? {} : { durability }),
      ...(checkpointDuring === undefined ? {} : { checkpointDuring }),
    }),
    stepTimeout: of.stepTimeout,
  };
}
