import { planRemoval } from "../checkpoint/removal-plan.ts";
import type { RemovedCheckpoint, Selection } from "../checkpoint/removal-plan.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { ThreadHistory } from "../checkpoint/thread-history.ts";
import type { CheckpointRecord } from "../checkpoint/thread-history.ts";
import { StorageError } from "../errors.ts";
import type { HashedBytes } from "./blob-hashes.ts";
import type { CheckpointReader } from "./checkpoint-reader.ts";
import type { ChainRows } from "./chain-rows.ts";
import type { NamespaceRow } from "./namespace-rows.ts";
import type { Transact } from "./commits.ts";
import { listHeads } from "./listing.ts";
import { toColumns } from "./metadata-columns.ts";
import type { SharedParts } from "./shared-parts.ts";
import { draftWhole } from "./snapshot-draft.ts";
import type { SnapshotDraft } from "./snapshot-draft.ts";

/** Checkpoints that are removed in one turn. */
const PIECE = 200;
/** So often is a removal planned anew because something was stored meanwhile. */
const ATTEMPTS = 5;

export interface RemovalParts {
  readonly serde: SerializerProtocol;
  readonly shared: SharedParts;
  readonly reader: CheckpointReader;
  /** Whatever is being written begins anew afterwards: what it was made of may be gone. */
  readonly remove: Transact;
  /** Lets others in between two pieces. */
  readonly yieldTurn: () => Promise<void>;
}

/** What the rows that stay are to be when a piece is removed. */
interface Rewriting {
  readonly blobs: readonly HashedBytes[];
  write(): void;
}

/**
 * Removes checkpoints of a thread, a piece of them in each turn. A piece is whole in itself: the children that stay get
 * rows that hold all of their state. What is stored between two pieces is planned for anew.
 */
export class ThreadRemoval {
  readonly #parts: RemovalParts;

  constructor(parts: RemovalParts) {
    this.#parts = parts;
  }

  async remove(threadId: string, select: (history: ThreadHistory) => Selection): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await this.#removePlanned(threadId, select)) return;
    }
    const message = `Others wrote to the thread "${threadId}" all the time; not all that was to be removed is.`;
    throw new StorageError("write_conflict", message, { details: { thread_id: threadId } });
  }

  /** False when something was stored meanwhile. */
  async #removePlanned(threadId: string, select: (history: ThreadHistory) => Selection): Promise<boolean> {
    const { remove, yieldTurn } = this.#parts;
    const { namespaces: namespaceRows, checkpoints, chains, threads, blobs } = this.#parts.shared;
    let { commits } = blobs;
    const namespaces = new Map(namespaceRows.matching(threadId, undefined).map((row) => [row.ns, row]));
    const history = new ThreadHistory(await this.#records(threadId));
    const plan = await planRemoval(history, select(history), (record, channels) =>
      this.#channelsWithValue(namespaces.get(record.namespace), record, channels),
    );
    const gone = new Set(plan.map(({ record }) => record));
    const dependents = dependentsOf(chains, history, namespaces.values(), gone);
    const left = new Set(history.all());
    for (let start = 0; start < plan.length; start += PIECE) {
      if (start > 0) await yieldTurn();
      const piece = plan.slice(start, start + PIECE);
      for (const { record } of piece) left.delete(record);
      const adrift = piece.flatMap(({ record }) => dependents.get(record) ?? []);
      const rewriting = await this.#rewrite(
        namespaces,
        piece,
        adrift.filter((record) => left.has(record)),
      );
      const staged = await blobs.stage(threadId, rewriting.blobs);
      try {
        if (commits !== blobs.commits) return false;
        remove(() => {
          staged.commit();
          rewriting.write();
          for (const { record } of piece) {
            const namespace = namespaces.get(record.namespace);
            if (namespace !== undefined) checkpoints.remove(namespace.id, record.id);
          }
        });
        ({ commits } = blobs);
      } finally {
        await staged.release();
      }
    }
    if (commits !== blobs.commits) return false;
    remove(() => threads.removeStrays(threadId));
    return true;
  }

  async #records(threadId: string): Promise<CheckpointRecord[]> {
    const { shared, reader } = this.#parts;
    const records: CheckpointRecord[] = [];
    const all = { threadId, namespace: undefined, checkpointId: undefined };
    const options = { before: undefined, filter: undefined, limit: Infinity };
    for (const { namespace, head } of listHeads(shared, all, options)) {
      const { id, parentId } = head;
      records.push({ namespace: namespace.ns, id, parentId, metadata: await reader.metadata(head) });
    }
    return records;
  }

  async #channelsWithValue(
    namespace: NamespaceRow | undefined,
    { id }: CheckpointRecord,
    channels: readonly string[],
  ): Promise<string[]> {
    const { reader, shared } = this.#parts;
    const loaded = namespace && (await reader.load(shared.cache, namespace, id));
    return channels.filter((channel) => loaded?.state.values.has(channel) === true);
  }

  /** Rows that are read from one of the piece are made whole, and orphans get their new parent. */
  async #rewrite(
    namespaces: ReadonlyMap<string, NamespaceRow>,
    piece: readonly RemovedCheckpoint[],
    dependents: readonly CheckpointRecord[],
  ): Promise<Rewriting> {
    const { serde, shared } = this.#parts;
    const orphans = piece.flatMap((removed) => removed.orphans);
    const adrift = new Set([...dependents, ...orphans.map(({ record }) => record)]);
    const wholes: SnapshotDraft[] = [];
    for (const record of adrift) wholes.push(await this.#whole(namespaces.get(record.namespace), record));
    const moves = await Promise.all(
      orphans.map(async (orphan) => ({
        ...orphan,
        namespace: namespaces.get(orphan.record.namespace),
        columns: await toColumns(serde, orphan.metadata),
      })),
    );
    return {
      blobs: wholes.flatMap((whole) => whole.blobs),
      write: () => {
        for (const whole of wholes) whole.write();
        for (const { namespace, record, parentId, columns } of moves)
          if (namespace !== undefined) shared.checkpoints.move(namespace.id, record.id, parentId, columns);
      },
    };
  }

  async #whole(namespace: NamespaceRow | undefined, { id }: CheckpointRecord): Promise<SnapshotDraft> {
    const { serde, reader, shared } = this.#parts;
    const state = namespace && (await reader.independent(shared.cache, namespace, id));
    if (namespace === undefined || state === undefined)
      throw new StorageError("write_conflict", `The checkpoint "${id}" was there, and is there no more.`);
    return draftWhole({ serde, chains: shared.chains }, namespace.id, id, state);
  }
}

/** By checkpoint that is to go: those whose rows are patches of its row. */
function dependentsOf(
  rows: ChainRows,
  history: ThreadHistory,
  namespaces: Iterable<NamespaceRow>,
  gone: ReadonlySet<CheckpointRecord>,
): Map<CheckpointRecord, CheckpointRecord[]> {
  const dependents = new Map<CheckpointRecord, CheckpointRecord[]>();
  for (const namespace of namespaces) {
    for (const { id, baseNs, baseId } of rows.patches(namespace)) {
      const record = history.get(namespace.ns, id);
      const base = history.get(baseNs, baseId);
      if (record === undefined || base === undefined || !gone.has(base)) continue;
      const known = dependents.get(base);
      if (known === undefined) dependents.set(base, [record]);
      else known.push(record);
    }
  }
  return dependents;
}
