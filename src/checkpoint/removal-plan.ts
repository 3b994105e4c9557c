import { isObject } from "../values/containers.ts";
import { PAST } from "./constants.ts";
import { mintedAt } from "./id.ts";
import { compareCheckpointIds } from "./ordering.ts";
import type { Keep } from "./prune-options.ts";
import { pastOf, type CheckpointRecord, type ThreadHistory } from "./thread-history.ts";

/** What somebody wants to be removed. */
export interface Selection {
  readonly doomed: ReadonlySet<CheckpointRecord>;
  /** Also when checkpoints that stay need it. */
  readonly isFinal: boolean;
}

/** A checkpoint that stays while its parent goes: it has to hold its own state from then on. */
export interface Orphan {
  readonly record: CheckpointRecord;
  /** The nearest ancestor that stays. */
  readonly parentId: string | undefined;
  readonly metadata: CheckpointRecord["metadata"];
}

export interface RemovedCheckpoint {
  readonly record: CheckpointRecord;
  /** Its children that stay. */
  readonly orphans: readonly Orphan[];
}

/** Of the channels those that have a value of their own in the checkpoint. */
export type FindValues = (
  record: CheckpointRecord,
  channels: readonly string[],
) => Promise<readonly string[]>;

export function beyond(history: ThreadHistory, { last, before }: Keep): Selection {
  const surplus = history
    .outermostFirst()
    .flatMap((namespace) => history.newestFirst(namespace).slice(last))
    .filter(({ id }) => before === Infinity || (mintedAt(id) ?? Infinity) < before);
  return { doomed: new Set(surplus), isFinal: false };
}

export function ofRuns(history: ThreadHistory, runIds: ReadonlySet<string>): Selection {
  const written = history
    .all()
    .filter(({ metadata: { run_id } }) => run_id !== undefined && runIds.has(run_id));
  return { doomed: new Set(written), isFinal: true };
}

/**
 * What is removed when a selection is: the checkpoints of nested graphs go with those that they belong to. Kept is
 * what others need, unless the selection is final: of a history that many visits share the newest checkpoint on the
 * branch of each that stays, and the ancestors that LangGraph's delta channels are made of.
 *
 * Nested graphs come before the graphs around them, and children before their parents: whoever removes them in this
 * order, piece by piece, leaves a whole thread after each piece.
 */
export async function planRemoval(
  history: ThreadHistory,
  selection: Selection,
  findValues: FindValues,
): Promise<readonly RemovedCheckpoint[]> {
  if (selection.doomed.size === 0) return [];
  const kept = keptAlone(history, selection);
  for (const record of neededOnBranches(history, kept, selection)) kept.add(record);
  if (!selection.isFinal) await keepDeltaChains(history, kept, findValues);
  const sharedRoots = rootsOf(history, kept);
  const orphans = new Map<CheckpointRecord, Orphan[]>();
  for (const record of kept) {
    const parent = history.parentOf(record);
    if (parent === undefined || kept.has(parent)) continue;
    const siblings = orphans.get(parent) ?? [];
    orphans.set(parent, [...siblings, orphanOf(history, kept, sharedRoots, record)]);
  }
  return history
    .outermostFirst()
    .toReversed()
    .flatMap((namespace) => history.newestFirst(namespace))
    .filter((record) => !kept.has(record))
    .map((record) => ({ record, orphans: orphans.get(record) ?? [] }));
}

function keptAlone(history: ThreadHistory, { doomed }: Selection): Set<CheckpointRecord> {
  const kept = new Set<CheckpointRecord>();
  for (const namespace of history.outermostFirst()) {
    for (const record of history.newestFirst(namespace)) {
      if (!doomed.has(record) && !hasLostParent(history, kept, record)) kept.add(record);
    }
  }
  return kept;
}

/** Whether a graph around it has lost the checkpoint that this one belongs to. */
function hasLostParent(
  history: ThreadHistory,
  kept: ReadonlySet<CheckpointRecord>,
  { namespace, metadata }: CheckpointRecord,
): boolean {
  return Object.entries(metadata.parents ?? {}).some(([outer, id]) => {
    const [newest] = history.newestFirst(outer);
    if (outer === namespace || newest === undefined) return false;
    const parent = history.get(outer, id);
    if (parent !== undefined) return !kept.has(parent);
    // One that is above all others is about to be written: what is inside of a branch comes before it.
    return compareCheckpointIds(id, newest.id) < 0;
  });
}

/** Of each shared history the newest checkpoints that the kept ones of the root graph find on their branches. */
function neededOnBranches(
  history: ThreadHistory,
  kept: ReadonlySet<CheckpointRecord>,
  { doomed, isFinal }: Selection,
): Set<CheckpointRecord> {
  const needed = new Set<CheckpointRecord>();
  const roots = history.newestFirst("").filter((record) => kept.has(record));
  for (const namespace of history.shared()) {
    const newestOf = new Map<string, CheckpointRecord>();
    for (const record of history.newestFirst(namespace)) {
      const root = record.metadata.parents?.[""];
      if (root === undefined || newestOf.has(root) || (isFinal && doomed.has(record))) continue;
      newestOf.set(root, record);
    }
    const before = new Map<CheckpointRecord, CheckpointRecord | undefined>();
    for (const root of roots) {
      for (const found of [newestOf.get(root.id), findBefore(history, root, newestOf, before)])
        if (found !== undefined) needed.add(found);
    }
  }
  return needed;
}

/** `known` makes the walks from all roots as long as one. */
function findBefore(
  history: ThreadHistory,
  root: CheckpointRecord,
  newestOf: ReadonlyMap<string, CheckpointRecord>,
  known: Map<CheckpointRecord, CheckpointRecord | undefined>,
): CheckpointRecord | undefined {
  const walked: CheckpointRecord[] = [];
  let found: CheckpointRecord | undefined;
  let at: CheckpointRecord | undefined = root;
  while (at !== undefined && found === undefined) {
    if (known.has(at)) {
      found = known.get(at);
      break;
    }
    known.set(at, undefined);
    walked.push(at);
    const parent = history.parentOf(at);
    const past = pastOf(at, parent).toSorted((a, b) => compareCheckpointIds(b, a));
    found = past.map((id) => newestOf.get(id)).find((record) => record !== undefined);
    at = parent;
  }
  for (const each of walked) known.set(each, found);
  return found;
}

/** Adds the ancestors without which the value of a channel, kept as its writes by LangGraph, could not be made. */
async function keepDeltaChains(
  history: ThreadHistory,
  kept: Set<CheckpointRecord>,
  findValues: FindValues,
): Promise<void> {
  for (const record of Array.from(kept)) {
    const counters = record.metadata["counters_since_delta_snapshot"];
    if (!isObject(counters)) continue;
    const open = new Set(Object.keys(counters));
    const walked = new Set<CheckpointRecord>();
    let at: CheckpointRecord | undefined = record;
    while (at !== undefined && !walked.has(at)) {
      walked.add(at);
      for (const channel of await findValues(at, [...open])) open.delete(channel);
      if (open.size === 0) break;
      at = history.parentOf(at);
      if (at !== undefined) kept.add(at);
    }
  }
}

/** The checkpoints of the root graph, gone or not, to which what is kept of shared histories belongs. */
function rootsOf(history: ThreadHistory, kept: ReadonlySet<CheckpointRecord>): Set<string> {
  const roots = new Set<string>();
  for (const namespace of history.shared()) {
    for (const record of history.newestFirst(namespace)) {
      const root = record.metadata.parents?.[""];
      if (root !== undefined && kept.has(record)) roots.add(root);
    }
  }
  return roots;
}

function orphanOf(
  history: ThreadHistory,
  kept: ReadonlySet<CheckpointRecord>,
  sharedRoots: ReadonlySet<string>,
  record: CheckpointRecord,
): Orphan {
  const past: string[] = [];
  const walked = new Set([record]);
  let at = record;
  let parent = history.parentOf(at);
  for (;;) {
    for (const id of pastOf(at, parent)) {
      const isKept = parent?.id === id && kept.has(parent);
      if (isKept || sharedRoots.has(id)) past.push(id);
    }
    if (parent === undefined || kept.has(parent)) break;
    walked.add(parent);
    at = parent;
    parent = history.parentOf(at);
    // Whoever puts a checkpoint anew may have made it a descendant of itself.
    if (parent !== undefined && walked.has(parent)) parent = undefined;
  }
  const { [PAST]: _, ...metadata } = record.metadata;
  const parentId = parent?.id;
  const plain = pastOf({ parentId, metadata }, parent);
  const isPlain = past.length === plain.length && plain.every((id) => past.includes(id));
  const isNoted = record.namespace === "" && !isPlain;
  return { record, parentId, metadata: isNoted ? { ...metadata, [PAST]: past } : metadata };
}
