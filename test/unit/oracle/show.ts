import { uuid5 } from "../../../src/uuid5.ts";
import type { Config, SavedTuple, Snapshot, SnapshotTask } from "./engine.ts";

/** Both engines' results in one form, without what may differ: see docs/differences.md for what is left out, and why. */

const OVERWRITE = "__overwrite__";
export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const INTERRUPT_ID = /^[0-9a-f]{32}$/;

/** A value as plain data. Ids of questions are hashes of different kinds: only their form is compared. */
export function show(value: unknown): unknown {
  if (typeof value === "string") return INTERRUPT_ID.test(value) ? "<interrupt id>" : value;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return showError(value);
  if (Array.isArray(value)) return value.map(show);
  // LangGraph shows its class in updates, we show what is stored.
  if (OVERWRITE in value) return { [OVERWRITE]: show(value[OVERWRITE]) };
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, show(part)]));
}

/** A typed error by name and LangGraph's code; what a node threw by its message too. */
export function showError(error: unknown): unknown {
  if (!(error instanceof Error)) return { threw: show(error) };
  const code: unknown = "lc_error_code" in error ? error.lc_error_code : undefined;
  return {
    threw: error.name,
    ...(code === undefined ? {} : { code }),
    ...(error.name === "Error" ? { message: error.message } : {}),
    ...(error instanceof AggregateError ? { errors: error.errors.map(showError) } : {}),
  };
}

/**
 * The chunks of a stream. Those that tasks emit when they finish have no order of their own within a superstep, so they
 * are sorted; the chunks of `values` and `custom` stay where they are.
 */
export function showChunks(chunks: readonly unknown[]): unknown[] {
  const shown: unknown[] = [];
  let group: unknown[] = [];
  const flush = (): void => {
    shown.push(...group.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)));
    group = [];
  };
  for (const chunk of chunks.map((each) => show(withoutOwnConfig(each)))) {
    if (isOfTask(chunk)) {
      group.push(chunk);
      continue;
    }
    flush();
    shown.push(chunk);
  }
  flush();
  return shown;
}

/** Ids come last: not all of them are equal on both engines. */
function sortKey(chunk: unknown): string {
  const text = JSON.stringify(chunk);
  return `${text.replaceAll(UUID, "")} ${text}`;
}

/**
 * LangGraph shows configs as its engine has them; here they say where a checkpoint is. It names itself in the metadata of
 * tasks; and the clock goes on.
 */
function withoutOwnConfig(chunk: unknown): unknown {
  if (Array.isArray(chunk)) return chunk.map(withoutOwnConfig);
  if (typeof chunk !== "object" || chunk === null || chunk instanceof Error) return chunk;
  if (Object.getPrototypeOf(chunk) !== Object.prototype) return chunk;
  return Object.fromEntries(
    Object.entries(chunk).map(([key, value]: [string, unknown]) => {
      if ((key === "config" || key === "parentConfig") && isConfig(value)) {
        const { thread_id, checkpoint_ns, checkpoint_id } = value.configurable ?? {};
        return [key, { thread_id, checkpoint_ns, checkpoint_id }];
      }
      if (key === "timestamp") return [key, "<time>"];
      if (key === "metadata" && isRecord(value)) {
        const { ls_integration: _, ...own } = value;
        return [key, Object.keys(own).length === 0 ? undefined : own];
      }
      return [key, withoutOwnConfig(value)];
    }),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isConfig(value: unknown): value is Config {
  return isRecord(value) && "configurable" in value;
}

function isOfTask(chunk: unknown): boolean {
  // With namespaces there is one more part in front.
  const [mode, payload] = Array.isArray(chunk) ? (chunk as unknown[]).slice(-2) : [undefined, chunk];
  if (mode === "updates" || mode === "tasks" || isTaskDebug(payload)) return true;
  return typeof payload === "object" && payload !== null && "__interrupt__" in payload;
}

function isTaskDebug(payload: unknown): boolean {
  if (!isRecord(payload)) return false;
  return (
    ("type" in payload && "timestamp" in payload && payload["type"] !== "checkpoint") || "triggers" in payload
  );
}

/**
 * A state. Left out:
 * - the order of tasks: ours is by name in every view, LangGraph's changes with the view;
 * - whether a task that waits for an answer is `next`: LangGraph leaves it out from its second question on;
 * - the errors of tasks that ask or have finished since, and the questions of those that have finished: LangGraph
 *   lists what earlier attempts left too.
 */
export function showSnapshot(snapshot: Snapshot): unknown {
  const { configurable } = snapshot.config;
  const tasks = inOrder(snapshot.tasks);
  const waiting = tasks.filter((task) => task.interrupts.length > 0).map((task) => task.name);
  return {
    values: show(snapshot.values),
    next: snapshot.next.filter((name) => !waiting.includes(name)).toSorted(),
    id: configurable?.["checkpoint_id"],
    namespace: configurable?.["checkpoint_ns"],
    map: configurable?.["checkpoint_map"],
    parent: snapshot.parentConfig?.configurable?.["checkpoint_id"],
    source: snapshot.metadata?.source,
    step: snapshot.metadata?.step,
    tasks: tasks.map((task) => ({
      id: task.id,
      name: task.name,
      path: task.path,
      ...showNested(task),
      ...(task.result === undefined ? showUnfinished(task) : { result: show(task.result) }),
    })),
  };
}

/** LangGraph says of a task that has failed once no more where its graph's state is, also when it has finished since. */
function showNested({ state, error, result }: SnapshotTask): object {
  if (state === undefined) return {};
  if ("tasks" in state) return { state: showSnapshot(state as Snapshot) };
  return error === undefined && result === undefined ? { state: state.configurable } : {};
}

function showUnfinished({ error, interrupts }: SnapshotTask): object {
  return error === undefined || interrupts.length > 0
    ? { interrupts: interrupts.map(show) }
    : { error: showTaskError(error) };
}

export function inOrder(tasks: readonly SnapshotTask[]): SnapshotTask[] {
  return tasks.toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

function pathOf(task: SnapshotTask): string {
  return task.path.map((part) => String(part).padStart(10)).join();
}

/** LangGraph keeps name and message alone. */
function showTaskError(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return error;
  const name = "name" in error ? error.name : undefined;
  const message = "message" in error ? error.message : undefined;
  return { name, message: name === "Error" ? message : "" };
}

export function showCheckpoint(tuple: SavedTuple): unknown {
  const { checkpoint, metadata, parentConfig } = tuple;
  // Only static breakpoints read what LangGraph keeps under this name: their tests compare it.
  // LangGraph also lists tasks that no channel has triggered: an empty entry means nothing.
  const { __interrupt__: _, ...seen } = checkpoint.versions_seen;
  const versioned = Object.entries(checkpoint.channel_values).filter(([name]) =>
    Object.hasOwn(checkpoint.channel_versions, name),
  );
  return {
    id: checkpoint.id,
    namespace: tuple.config.configurable?.["checkpoint_ns"],
    parents: metadata?.parents,
    parent: parentConfig?.configurable?.["checkpoint_id"],
    source: metadata?.source,
    step: metadata?.step,
    values: show(Object.fromEntries(versioned)),
    versions: checkpoint.channel_versions,
    seen: Object.fromEntries(Object.entries(seen).filter(([, versions]) => Object.keys(versions).length > 0)),
    writes: showWrites(checkpoint.id, tuple.pendingWrites ?? []),
  };
}

const ANSWERS = new Set(["__error__", "__interrupt__", "__resume__"]);
const OUTSIDE = "00000000-0000-0000-0000-";

/** The order in which a task asks others to run means nothing. */
const STARTS = /^(branch|join):/;

/**
 * What tasks wrote. Left out: how answers are stored, and what came from outside (commands, updates), which LangGraph
 * keeps beside the checkpoint it was applied to as well.
 */
function showWrites(checkpointId: string, writes: NonNullable<SavedTuple["pendingWrites"]>): unknown {
  const updates = ["__interrupt__", "__interrupt__:1", "__input__"].map((name) => uuid5(name, checkpointId));
  const ofTasks = writes.filter(
    ([taskId, channel]) => !taskId.startsWith(OUTSIDE) && !updates.includes(taskId) && !ANSWERS.has(channel),
  );
  const starts = ofTasks.filter(([, channel]) => STARTS.test(channel));
  return [
    ...ofTasks.filter(([, channel]) => !STARTS.test(channel)).map(show),
    ...starts.map((write) => JSON.stringify(show(write))).toSorted(),
  ];
}

/** Whether LangGraph keeps a command beside this checkpoint: its history then shows the checkpoint with it applied. */
export function holdsCommand(tuple: SavedTuple): boolean {
  return (tuple.pendingWrites ?? []).some(
    ([taskId, channel]) => taskId.startsWith(OUTSIDE) && !ANSWERS.has(channel),
  );
}
