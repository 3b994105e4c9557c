import type { PendingWrite } from "../checkpoint/types.ts";
import type { Interrupt } from "../errors.ts";
import { INTERRUPT, RETURN } from "./constants.ts";
import { setOwn } from "./graph-state.ts";
import type { LoopState } from "./loop-state.ts";
import { isCalled, type PlannedTask } from "./plan.ts";
import { shown, type Question } from "./question.ts";
import type { PregelGraph } from "./types.ts";

/** The chunks of the stream modes `values` and `updates`, in LangGraph's shapes. */

/** The whole state. */
export function emitValues(loop: LoopState): void {
  if (!loop.run.modes.has("values")) return;
  loop.run.emit({ mode: "values", payload: loop.state.readAll(shownChannels(loop.run.graph)) ?? null });
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
  setOwn(chunk, task.name, updateOf(run.graph, writes));
  if (options.cached) chunk["__metadata__"] = { cached: true };
  run.emit({ mode: "updates", payload: chunk });
}

/** The questions that a task waits at. Those of a task that another has called are the other's too, who shows them. */
export function emitInterrupts(loop: LoopState, task: PlannedTask, questions: readonly Question[]): void {
  if (questions.length === 0 || isCalled(task)) return;
  emitQuestions(loop, questions.map(shown));
}

/** A breakpoint: no questions. */
export function emitStop(loop: LoopState): void {
  emitQuestions(loop, []);
}

function emitQuestions(loop: LoopState, interrupts: readonly Interrupt[]): void {
  for (const mode of ["updates", "values"] as const) {
    if (loop.run.modes.has(mode)) loop.run.emit({ mode, payload: { [INTERRUPT]: interrupts } });
  }
}

/** What a task has written, by channel; all its writes of a channel that it wrote more than once. */
export function resultOf(graph: PregelGraph, writes: readonly PendingWrite[]): unknown {
  const update = updateOf(graph, writes);
  if (!Array.isArray(update) || typeof shownChannels(graph) === "string") return update;
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

/** A task's writes by channel; a list of single writes when it wrote one channel more than once. */
export function updateOf(graph: PregelGraph, writes: readonly PendingWrite[]): unknown {
  const returned = writes.find(([channel]) => channel === RETURN);
  if (returned !== undefined) return returned[1];
  const channels = shownChannels(graph);
  if (typeof channels === "string") return writes.findLast(([channel]) => channel === channels)?.[1] ?? null;
  const visible = writes.filter(([channel]) => isOutput(graph, channel));
  if (new Set(visible.map(([channel]) => channel)).size < visible.length)
    return visible.map((write) => recordOf([write]));
  return recordOf(visible);
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

const outputSets = new WeakMap<PregelGraph, ReadonlySet<string>>();

/** Whether a channel is a part of the state that callers see. */
export function isOutput(graph: PregelGraph, channel: string): boolean {
  const known = outputSets.get(graph);
  if (known !== undefined) return known.has(channel);
  const channels = shownChannels(graph);
  const outputs = new Set(typeof channels === "string" ? [channels] : channels);
  outputSets.set(graph, outputs);
  return outputs.has(channel);
}
