import { adopt } from "../values/adopt.ts";
import type { BaseChannel } from "../channels/base.ts";
import { compareCodePoints } from "../checkpoint/ordering.ts";
import type { ChannelVersion, ChannelVersions, PendingWrite } from "../checkpoint/types.ts";
import { TidemarkError } from "../errors.ts";
import { InvalidUpdateError, ReducerError } from "../graph-errors.ts";
import { INPUT, TASKS } from "./constants.ts";
import { asFrozenStateError } from "./frozen-state.ts";
import type { GraphState } from "./graph-state.ts";
import { setOwn } from "../values/set-own.ts";

/** A task as far as applying it needs to know. */
export interface AppliedTask {
  readonly name: string;
  readonly pathKey: string;
  readonly triggers: readonly string[];
  readonly writes: readonly PendingWrite[];
}

const NOTHING: ReadonlySet<string> = new Set();

export type NextVersion = (current: ChannelVersion | undefined) => ChannelVersion;

/**
 * Applies a superstep: the writes of its tasks in the order of their paths, however they finished, then what becomes of
 * the channels nobody wrote. Throws when a channel refuses; the state is then of no further use and must be loaded
 * again, while what is stored has not been touched. `kept`: channels that do not end with the superstep.
 */
export function applyWrites(
  state: GraphState,
  tasks: readonly AppliedTask[],
  nextVersion: NextVersion,
  kept: ReadonlySet<string> = NOTHING,
): readonly string[] {
  const ordered =
    tasks.length < 2 ? tasks : tasks.toSorted((a, b) => compareCodePoints(a.pathKey, b.pathKey));
  markSeen(state, ordered);
  consumeTriggers(state, ordered, nextVersion);

  const byChannel = writesByChannel(state, ordered);
  const changed = updateChannels(state, byChannel);
  if (ordered.some((task) => task.triggers.length > 0)) expireTransient(state, byChannel, changed, kept);
  const version = nextVersion(state.maxVersion);
  state.bump([...changed], version);
  let updated = availableOf(state, changed);

  if (!updated.some((name) => state.graph.triggerToNodes.has(name))) {
    const finished = finishChannels(state);
    state.bump(finished, version);
    updated = [...updated, ...availableOf(state, finished)];
  }
  state.updated = updated;
  return updated;
}

/** Applies what no task wrote: input, or what a command brought. Sends that are there already stay before new ones. */
export function applyOutside(
  state: GraphState,
  writes: readonly PendingWrite[],
  nextVersion: NextVersion,
): readonly string[] {
  const isSending = writes.some(([channel]) => channel === TASKS);
  const waiting: unknown = isSending ? state.adopted(TASKS) : undefined;
  const sends = Array.isArray(waiting) ? waiting.map((packet): PendingWrite => [TASKS, packet]) : [];
  return applyWrites(
    state,
    [{ name: INPUT, pathKey: "", triggers: [], writes: [...sends, ...writes] }],
    nextVersion,
  );
}

function markSeen(state: GraphState, tasks: readonly AppliedTask[]): void {
  const seen = { ...state.seen };
  for (const task of tasks) {
    const versions: Record<string, ChannelVersion> = {
      ...(Object.hasOwn(seen, task.name) ? seen[task.name] : {}),
    };
    for (const trigger of task.triggers) {
      const version = state.versions[trigger];
      if (version !== undefined) setOwn(versions, trigger, version);
    }
    setOwn<ChannelVersions>(seen, task.name, versions);
  }
  state.seen = seen;
}

function consumeTriggers(state: GraphState, tasks: readonly AppliedTask[], nextVersion: NextVersion): void {
  const consumed: string[] = [];
  for (const task of tasks) {
    // A channel that several tasks had as their trigger changes once.
    for (const name of task.triggers) {
      const channel = state.channels.get(name);
      if (!channel?.consume()) continue;
      consumed.push(name);
      state.noteChange(name, channel);
    }
  }
  if (consumed.length > 0) state.bump(consumed, nextVersion(state.maxVersion));
}

type WritesByChannel = ReadonlyMap<string, readonly unknown[]>;

/** Writes of channels that the graph does not have are left out. */
export function writesByChannel(
  state: GraphState,
  tasks: readonly Pick<AppliedTask, "writes">[],
): WritesByChannel {
  const byChannel = new Map<string, unknown[]>();
  for (const task of tasks) {
    for (const [name, value] of task.writes) {
      if (!state.channels.has(name)) continue;
      const values = byChannel.get(name);
      if (values === undefined) byChannel.set(name, [value]);
      else values.push(value);
    }
  }
  return byChannel;
}

function updateChannels(state: GraphState, byChannel: WritesByChannel): Set<string> {
  const changed = new Set<string>();
  for (const [name, values] of byChannel) {
    const channel = state.channels.get(name);
    if (channel === undefined) continue;
    if (updateChannel(name, channel, values)) changed.add(name);
    state.noteChange(name, channel);
  }
  return changed;
}

/** Channels that live for one superstep and were not written again end now. */
function expireTransient(
  state: GraphState,
  written: WritesByChannel,
  changed: Set<string>,
  kept: ReadonlySet<string>,
): void {
  for (const name of state.transient) {
    const channel = state.channels.get(name);
    if (channel === undefined || written.has(name) || kept.has(name)) continue;
    if (updateChannel(name, channel, [])) changed.add(name);
    state.noteChange(name, channel);
  }
}

/** Names the channel in what its update throws. */
export function updateChannel(name: string, channel: BaseChannel, values: readonly unknown[]): boolean {
  try {
    return channel.update(values, adopt);
  } catch (error) {
    throw channelError(name, error);
  }
}

function channelError(channel: string, error: unknown): TidemarkError {
  if (error instanceof InvalidUpdateError) {
    return new InvalidUpdateError(`Invalid update of channel "${channel}": ${error.message}`, {
      details: { ...error.details, channel },
      cause: error,
      ...(error.lc_error_code === undefined ? {} : { lcErrorCode: error.lc_error_code }),
    });
  }
  const frozen = asFrozenStateError(error, `The reducer of channel "${channel}"`, [channel]);
  if (frozen !== undefined) return frozen;
  return error instanceof TidemarkError ? error : new ReducerError(channel, error);
}

function finishChannels(state: GraphState): string[] {
  const finished: string[] = [];
  for (const [name, channel] of state.channels) {
    if (channel.finish()) {
      finished.push(name);
      state.noteChange(name, channel);
    }
  }
  return finished;
}

function availableOf(state: GraphState, names: Iterable<string>): string[] {
  return [...names].filter((name) => state.channels.get(name)?.isAvailable());
}
