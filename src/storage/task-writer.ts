import type { WriteAddress } from "../checkpoint/address.ts";
import { chain } from "../checkpoint/maybe-promise.ts";
import { mergeTaskWrites, positionWrites } from "../checkpoint/pending-writes.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { MaybePromise, PendingWrite } from "../checkpoint/types.ts";
import { StorageError } from "../errors.ts";
import { encodeBody, sealBody } from "./bodies.ts";
import type { CheckpointReader } from "./checkpoint-reader.ts";
import type { BodyRow } from "./body-row.ts";
import { type Commits, CONFLICT, type PendingCommit } from "./commits.ts";
import { findNamespace, openNamespace } from "./namespaces.ts";
import type { SaverCache } from "./saver-cache.ts";
import type { SharedParts } from "./shared-parts.ts";
import { toTaskBody } from "./task-body.ts";
import { draftTask } from "./task-draft.ts";
import type { TaskDraft } from "./task-draft.ts";

export interface TaskWriterParts {
  readonly serde: SerializerProtocol;
  readonly shared: SharedParts;
  readonly reader: CheckpointReader;
  readonly commits: Commits;
}

export interface TaskPlace {
  readonly address: WriteAddress;
  readonly checkpointId: string;
  readonly taskId: string;
}

interface TaskToStore extends TaskPlace {
  readonly given: readonly PendingWrite[];
  readonly draft: TaskDraft;
}

/** Writes the row of a task: anew, or with what was there before. */
export class TaskWriter {
  readonly #parts: TaskWriterParts;

  constructor(parts: TaskWriterParts) {
    this.#parts = parts;
  }

  /** Stays in the turn when there is nothing to wait for. */
  put(place: TaskPlace, taskPath: string, writes: readonly PendingWrite[]): MaybePromise<void> {
    const { shared, commits } = this.#parts;
    const { cache } = shared;
    const { threadId } = place.address;
    const pending = commits.begin(threadId);
    const positioned = positionWrites(taskPath, writes);
    const known = cache.replacements(threadId);
    const drafting = draftTask(shared.values, known, cache.comparisons, positioned, this.#base(cache, place));
    return chain(drafting, (draft) =>
      chain(this.#store(cache, pending, { ...place, given: writes, draft }, undefined), (isStored) =>
        isStored ? undefined : this.put(place, taskPath, writes),
      ),
    );
  }

  /** Of a checkpoint that is not remembered nothing is read: what can be compared is then written whole. */
  #base(cache: SaverCache, { address, checkpointId }: TaskPlace): ReadonlyMap<string, unknown> | undefined {
    const { namespaces } = this.#parts.shared;
    const namespace = findNamespace(cache, namespaces, address.threadId, address.namespace);
    return namespace && cache.checkpoint(namespace.id, checkpointId)?.state.values;
  }

  /** `old` is the row that the task has, if it has one. False when rows that this one may refer to were removed meanwhile. */
  #store(
    cache: SaverCache,
    pending: PendingCommit,
    task: TaskToStore,
    old: BodyRow | undefined,
  ): MaybePromise<boolean> {
    const { serde, reader, commits, shared } = this.#parts;
    const { namespaces, writes: rows } = shared;
    const { address, checkpointId, taskId, given, draft } = task;
    const { writes: added, forms } = draft;
    const merging =
      old === undefined
        ? added
        : chain(reader.task(address.threadId, old), (writes) => mergeTaskWrites(writes, added));
    const sealing = chain(merging, (writes) =>
      chain(
        encodeBody(serde, toTaskBody(writes), forms.isAsGiven, () => given),
        (encoded) => sealBody(encoded, shared.stateLimit),
      ),
    );
    const committed = (namespace: number): void => {
      cache.setNamespaceId(address.threadId, address.namespace, namespace);
      cache.noteTask(namespace, checkpointId);
      forms.remember();
    };
    const committing = chain(sealing, ({ input, blobs }) => {
      const isAtomic = typeof cache.namespaceId(address.threadId, address.namespace) === "number";
      const write = (): number | typeof CONFLICT => {
        if (shared.cache !== cache) return CONFLICT;
        const namespace = openNamespace(cache, namespaces, address);
        const key = { namespace, checkpointId, taskId };
        const written = old === undefined ? rows.insert(key, input) : rows.replace(key, old, input);
        return written ? namespace : CONFLICT;
      };
      return commits.commit(pending, [...forms.blobs, ...blobs], isAtomic, write, committed);
    });
    return chain(committing, (outcome): MaybePromise<boolean> => {
      if (outcome !== CONFLICT) return true;
      if (shared.cache !== cache) return false;
      const namespace = findNamespace(cache, namespaces, address.threadId, address.namespace);
      const row = namespace && rows.read({ namespace: namespace.id, checkpointId, taskId });
      if (row === undefined) throw rowVanished(taskId);
      return this.#store(cache, pending, task, row);
    });
  }
}

function rowVanished(taskId: string): StorageError {
  return new StorageError("write_conflict", `The row of task ${taskId} was there, and is there no more.`);
}
