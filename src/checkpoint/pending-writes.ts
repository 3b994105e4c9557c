import { WRITES_IDX_MAP } from "./constants.ts";
import { compareCodePoints } from "./ordering.ts";
import type { CheckpointPendingWrite, PendingWrite } from "./types.ts";

/** A write and its position in the task's list: fixed and negative for special channels, otherwise that of the call. */
export interface PositionedWrite<Value> {
  readonly index: number;
  readonly channel: string;
  readonly value: Value;
}

/** Everything that one task has written on one checkpoint. */
export interface TaskWrites<Value> {
  readonly path: string;
  readonly writes: readonly PositionedWrite<Value>[];
}

/** The writes of one call, with their positions. */
export function positionWrites(path: string, writes: readonly PendingWrite[]): TaskWrites<unknown> {
  const positioned = writes.map(([channel, value], position) => ({
    index: fixedPosition(channel) ?? position,
    channel,
    value,
  }));
  // In order already, and each at a position of its own.
  if (positioned.every(({ index }) => index >= 0)) return { path, writes: positioned };
  return mergeTaskWrites({ path, writes: [] }, { path, writes: positioned });
}

/** A fixed position is replaced, any other keeps the write that was stored first, and so does the path. */
export function mergeTaskWrites<Value>(
  stored: TaskWrites<Value>,
  added: TaskWrites<Value>,
): TaskWrites<Value> {
  const byIndex = new Map(stored.writes.map((write) => [write.index, write]));
  for (const write of added.writes) {
    if (write.index < 0 || !byIndex.has(write.index)) byIndex.set(write.index, write);
  }
  const writes = Array.from(byIndex.values()).toSorted((a, b) => a.index - b.index);
  return { path: stored.path === "" ? added.path : stored.path, writes };
}

/** All writes on a checkpoint in the order of the port: task path, task id, index. */
export function sortPendingWrites(
  tasks: Iterable<readonly [taskId: string, writes: TaskWrites<unknown>]>,
): CheckpointPendingWrite[] {
  return Array.from(tasks)
    .toSorted(([a, x], [b, y]) => compareCodePoints(x.path, y.path) || compareCodePoints(a, b))
    .flatMap(([taskId, { writes }]) =>
      writes.map(({ channel, value }): CheckpointPendingWrite => [taskId, channel, value]),
    );
}

function fixedPosition(channel: string): number | undefined {
  return Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined;
}
