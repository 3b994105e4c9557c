import { configOf, writeAddressOf } from "../checkpoint/address.ts";
import type { WriteAddress } from "../checkpoint/address.ts";
import { all, both, chain, isPromise } from "../checkpoint/maybe-promise.ts";
import { parentRemoved } from "../checkpoint/removal-errors.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointMetadata,
  MaybePromise,
} from "../checkpoint/types.ts";
import { CheckpointDrafter, newCheckpoint } from "./checkpoint-draft.ts";
import type { CheckpointDraft, NewCheckpoint } from "./checkpoint-draft.ts";
import type { CheckpointReader } from "./checkpoint-reader.ts";
import type { CheckpointHead } from "./checkpoint-rows.ts";
import { CONFLICT } from "./commits.ts";
import type { Commits, PendingCommit } from "./commits.ts";
import { toColumns } from "./metadata-columns.ts";
import type { MetadataColumns } from "./metadata-columns.ts";
import { findNamespace, namespaceAround, openNamespace } from "./namespaces.ts";
import type { RowPlace } from "./chain-rows.ts";
import { type CachedCheckpoint, SaverCache } from "./saver-cache.ts";
import type { SharedParts } from "./shared-parts.ts";
import { draftSnapshot } from "./snapshot-draft.ts";
import { draftWholeWrites } from "./whole-writes.ts";

/** Makes ready what the owner writes in the transaction of a checkpoint. */
export type Alongside = (checkpoint: Checkpoint, namespace: string) => MaybePromise<(() => void) | undefined>;

export interface CheckpointWriterParts {
  readonly serde: SerializerProtocol;
  readonly shared: SharedParts;
  readonly reader: CheckpointReader;
  readonly commits: Commits;
  readonly alongside: Alongside | undefined;
}

/** A checkpoint on its way into its row. */
interface PendingPut {
  readonly pending: PendingCommit;
  readonly address: WriteAddress;
  readonly input: NewCheckpoint;
  readonly metadata: MetadataColumns;
  /** The checkpoints of the graphs around, by namespace. */
  readonly parents: CheckpointMetadata["parents"] | undefined;
  /** The parent was there when the put began. */
  readonly hasParent: boolean;
  /** Writes the rows of the owner that go with it. */
  readonly alongside: (() => void) | undefined;
}

/** Writes the row of a checkpoint, as a patch of its parent's where that is shorter. */
export class CheckpointWriter {
  readonly #parts: CheckpointWriterParts;
  readonly #shared: SharedParts;
  readonly #drafter: CheckpointDrafter;

  constructor(parts: CheckpointWriterParts) {
    this.#parts = parts;
    const { serde, reader, shared } = parts;
    this.#shared = shared;
    this.#drafter = new CheckpointDrafter({ ...shared, serde, reader });
  }

  /** Its encoding may have to be waited for; then everything is written in one turn. */
  async put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<CheckpointConfig> {
    const { commits, serde, shared } = this.#parts;
    const address = writeAddressOf(config);
    const { threadId, namespace } = address;
    const pending = commits.begin(threadId);
    const input = newCheckpoint(checkpoint, newVersions);
    const { cache } = shared;
    const { parents } = metadata;
    const hasParent = this.#hasParent(cache, address);
    const drafting = both(
      () => this.#draft(cache, address, input, parents, false),
      () => toColumns(serde, metadata),
    );
    const [draft, columns] = isPromise(drafting) ? await drafting : drafting;
    const staging = this.#parts.alongside?.(checkpoint, namespace);
    const alongside = isPromise(staging) ? await staging : staging;
    const put = { pending, address, input, metadata: columns, parents, hasParent, alongside };
    const committing = this.#commitDraft(cache, put, draft);
    if (isPromise(committing)) await committing;
    return configOf(threadId, namespace, input.id);
  }

  #draft(
    cache: SaverCache,
    { threadId, namespace: ns, checkpointId: parentId }: WriteAddress,
    input: NewCheckpoint,
    parents: PendingPut["parents"],
    isSnapshot: boolean,
  ): MaybePromise<CheckpointDraft> {
    const namespace = findNamespace(cache, this.#shared.namespaces, threadId, ns);
    const remembered = this.#rememberedAround(cache, threadId, ns, parents);
    const around = parentId === undefined && !isSnapshot ? remembered : undefined;
    return this.#drafter.draft(cache, { threadId, namespace, parentId, around, isSnapshot }, input);
  }

  /**
   * The checkpoint of the graph around that the first one of a visit belongs to. It, and those further out, stay remembered as long
   * as visits write: what tasks write there, and what other visits begin with, is compared with them.
   */
  #rememberedAround(
    cache: SaverCache,
    threadId: string,
    ns: string,
    parents: PendingPut["parents"],
  ): CachedCheckpoint | undefined {
    const around = namespaceAround(ns);
    let remembered: CachedCheckpoint | undefined;
    for (const [outer, id] of Object.entries(parents ?? {})) {
      const namespace = findNamespace(cache, this.#shared.namespaces, threadId, outer);
      const checkpoint = namespace && cache.checkpoint(namespace.id, id);
      if (outer === around) remembered = checkpoint;
    }
    return remembered;
  }

  #commitDraft(cache: SaverCache, put: PendingPut, draft: CheckpointDraft): MaybePromise<void> {
    const { threadId, namespace } = put.address;
    const isOpen = typeof cache.namespaceId(threadId, namespace) === "number";
    const isAtomic = isOpen && put.alongside === undefined;
    const write = (): number | typeof CONFLICT => {
      // What the row would be a patch of may have been replaced.
      if (this.#shared.cache !== cache) return CONFLICT;
      const id = openNamespace(cache, this.#shared.namespaces, put.address);
      return this.#insert(id, put, draft) ? id : CONFLICT;
    };
    const committed = (id: number): void => {
      draft.remember();
      cache.comparisons.forget(put.input.values.values());
      const head = headOf(id, put);
      if (cache.namespaceId(threadId, namespace) === null) cache.setNewest(head);
      else cache.noteWritten(head);
      cache.setNamespaceId(threadId, namespace, id);
      cache.setCheckpoint(id, draft.next, namespaceAround(namespace) !== undefined);
    };
    const committing = this.#parts.commits.commit(put.pending, draft.blobs, isAtomic, write, committed);
    return chain(committing, (outcome) => (outcome === CONFLICT ? this.#putAgain(put) : undefined));
  }

  #insert(namespace: number, put: PendingPut, { stored }: CheckpointDraft): boolean {
    const isNew = this.#shared.checkpoints.insert({ ...headOf(namespace, put), ...stored });
    if (isNew) put.alongside?.();
    return isNew;
  }

  #hasParent(cache: SaverCache, { threadId, namespace: ns, checkpointId: parentId }: WriteAddress): boolean {
    const namespace =
      parentId === undefined ? undefined : findNamespace(cache, this.#shared.namespaces, threadId, ns);
    if (namespace === undefined || parentId === undefined) return false;
    if (cache.checkpoint(namespace.id, parentId) !== undefined) return true;
    return this.#shared.checkpoints.head(namespace.id, parentId) !== undefined;
  }

  /** Takes the place of the checkpoint's row, if there is one: rows that are patches of it are stored whole before. */
  async #putAgain(put: PendingPut): Promise<void> {
    const { commits, reader, serde, shared } = this.#parts;
    const { pending, address, input, parents } = put;
    const { cache } = shared;
    if (put.hasParent && !this.#hasParent(cache, address)) throw parentRemoved(address.checkpointId ?? "");
    const namespace = findNamespace(cache, shared.namespaces, address.threadId, address.namespace);
    const old = namespace && shared.checkpoints.head(namespace.id, input.id);
    const draft = await this.#draft(cache, address, input, parents, old !== undefined);
    if (namespace === undefined || old === undefined) return this.#commitDraft(cache, put, draft);
    const parts = { serde, chains: shared.chains, reader };
    const dependents = shared.chains.dependents(namespace, input.id);
    const snapshots = await all(dependents.map((each) => () => draftSnapshot(parts, cache, each)));
    const loaded = await reader.load(cache, namespace, input.id);
    const wholes = loaded && (await draftWholeWrites({ ...parts, writes: shared.writes }, namespace, loaded));
    const others = [...snapshots, wholes].flatMap((other) => other?.blobs ?? []);
    const blobs = [...draft.blobs, ...others];
    const write = (): boolean | typeof CONFLICT => {
      const isCurrent = isSame(shared.chains.dependents(namespace, input.id), dependents);
      if (shared.cache !== cache || !isCurrent || wholes?.write() === false) return CONFLICT;
      for (const snapshot of snapshots) snapshot?.write();
      shared.checkpoints.delete(namespace.id, input.id);
      return this.#insert(namespace.id, put, draft);
    };
    const forget = (): void => void (shared.cache = new SaverCache());
    const outcome = await commits.commit(pending, blobs, false, write, forget);
    if (outcome === CONFLICT) return this.#putAgain(put);
  }
}

function isSame(places: readonly RowPlace[], others: readonly RowPlace[]): boolean {
  return places.map(nameOf).join() === others.map(nameOf).join();
}

function nameOf({ namespace, id }: RowPlace): string {
  return `${namespace.id} ${id}`;
}

function headOf(namespace: number, { address, input, metadata }: PendingPut): CheckpointHead {
  return { namespace, id: input.id, parentId: address.checkpointId, metadata };
}
