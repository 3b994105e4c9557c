import type { PendingWrite } from "../checkpoint/types.ts";
import { INTERRUPT, RETURN, WAITING } from "./constants.ts";
import { setOwn } from "../values/set-own.ts";
import { setOf } from "./list-sets.ts";
import type { LoopState } from "./loop-state.ts";
import { isCalled, type PlannedTask } from "./plan.ts";
import { shownQuestions, shownWaits, type Question } from "./question.ts";
import type { PregelGraph, StreamEvent } from "./types.ts";

/** The chunks of the stream modes `values` and `updates`, in LangGraph's shapes. */

/** The whole state. */
export function emitValues(loop: LoopState): void {
  loop.result = () => valuesOf(loop);
  if (loop.run.modes.has("values"))
    loop.run.emit({ mode: "values", payload: valuesOf(loop), ...markOf(loop) });
}

/** Of a single channel null as long as it has no value; `undefined` is one. */
function valuesOf({ run: { outputKeys }, state }: LoopState): unknown {
  const isEmpty = typeof outputKeys === "string" && state.channels.get(outputKeys)?.isAvailable() !== true;
  return isEmpty ? null : state.readAll(outputKeys);
}

/** What one task wrote. `cached`: it was stored before this run and is not computed again. */
export function emitUpdate(
  loop: LoopState,
  task: PlannedTask,
  writes: readonly PendingWrite[],
  options: { readonly cached?: boolean } = {},
): void {
  const { run } = loop;
  if (!run.modes.has("updates") || task.node?.hidden) return;
  const chunk: Record<string, unknown> = {};
  const updates = updatesOf(run.outputKeys, writes);
  if (updates.length > 0) setOwn(chunk, task.name, updates.length === 1 ? updates[0] : updates);
  if (options.cached) chunk["__metadata__"] = { cached: true };
  const mark = options.cached ? UNSTORED : markOf(loop, task);
  run.emit({ mode: "updates", payload: chunk, ...mark });
}

/** What is said of an event that shows values of the state, or is about a task. */
export function markOf({ state }: LoopState, task?: PlannedTask): Pick<StreamEvent, "isUnstored"> {
  return state.hasUntracked || (task !== undefined && isCalled(task)) ? UNSTORED : {};
}

const UNSTORED = { isUnstored: true } as const;

/** The questions and waits that a task stands at. Those of a task that another has called are the other's too, who shows them. */
export function emitInterrupts(loop: LoopState, task: PlannedTask, questions: readonly Question[]): void {
  if (questions.length === 0 || isCalled(task)) return;
  const interrupts = shownQuestions(questions);
  const waiting = shownWaits(questions);
  if (interrupts.length > 0) emitPause(loop, { [INTERRUPT]: interrupts });
  if (waiting.length > 0) emitPause(loop, { [WAITING]: waiting });
}

/** A breakpoint: no questions. */
export function emitStop(loop: LoopState): void {
  emitPause(loop, { [INTERRUPT]: [] });
}

function emitPause(loop: LoopState, payload: unknown): void {
  for (const mode of ["updates", "values"] as const) {
    if (loop.run.modes.has(mode)) loop.run.emit({ mode, payload });
  }
}

/** What a task has come to: of a graph that shows one channel, what the task wrote to it first; else by channel. */
export function resultOf(graph: PregelGraph, visible: readonly PendingWrite[]): unknown {
  return typeof shownChannels(graph) === "string" ? visible[0]?.[1] : writesByChannel(visible);
}

/** What a task has written, by channel; all its writes of a channel that it wrote more than once. */
export function writesByChannel(writes: readonly PendingWrite[]): Record<string, unknown> {
  const byChannel = new Map<string, unknown[]>();
  for (const [channel, value] of writes) {
    const values = byChannel.get(channel);
    if (values === undefined) byChannel.set(channel, [value]);
    else values.push(value);
  }
  const result: Record<string, unknown> = {};
  for (const [channel, values] of byChannel)
    setOwn(result, channel, values.length === 1 ? values[0] : { $writes: values });
  return result;
}

/**
 * A task's writes: of one channel, its values; of several, one record by channel, or a record for each write when it wrote
 * one of them more than once. A `task()` has what it returned.
 */
function updatesOf(channels: string | readonly string[], writes: readonly PendingWrite[]): unknown[] {
  const returned = writes.filter(([channel]) => channel === RETURN);
  if (returned.length > 0) return returned.map(([, value]) => value);
  const visible = writes.filter(([channel]) => isAmong(channels, channel));
  if (typeof channels === "string") return visible.map(([, value]) => value);
  if (new Set(visible.map(([channel]) => channel)).size < visible.length)
    return visible.map((write) => recordOf([write]));
  return [recordOf(visible)];
}

function recordOf(writes: readonly PendingWrite[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [channel, value] of writes) setOwn(record, channel, value);
  return record;
}

/** The channels that callers see. */
export function shownChannels(graph: PregelGraph): string | readonly string[] {
  return graph.streamChannels ?? graph.outputChannels;
}

/** Whether a channel is a part of the state that callers see. */
export function isOutput(graph: PregelGraph, channel: string): boolean {
  return isAmong(shownChannels(graph), channel);
}

/** Whether the channel is the one, or one of the list, which should be a graph's: see `setOf`. */
export function isAmong(channels: string | readonly string[], channel: string): boolean {
  return typeof channels === "string" ? channels === channel : setOf(channels).has(channel);
}
