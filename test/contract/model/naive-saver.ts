import { MsgpackSerializer } from "../../../src/checkpoint/serde/msgpack-serializer.ts";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  PendingWrite,
} from "../../../src/checkpoint/types.ts";

/** All of a checkpoint, as it is to be read. */
export interface NaiveCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
  readonly parentId: string | undefined;
}

const serde = new MsgpackSerializer();

/** Stores everything whole, by itself, so that there is nothing to get wrong. One thread and namespace. */
export class NaiveSaver {
  readonly #checkpoints = new Map<string, Uint8Array>();
  readonly #writes = new Map<string, Map<string, Map<string | number, readonly [string, Uint8Array]>>>();

  /** Oldest first. */
  get ids(): string[] {
    return Array.from(this.#checkpoints.keys()).toSorted();
  }

  read(id: string): NaiveCheckpoint | undefined {
    const bytes = this.#checkpoints.get(id);
    return bytes && (serde.loadsTyped("msgpack", bytes) as NaiveCheckpoint);
  }

  /** In the order of task ids and positions. */
  writes(id: string): CheckpointPendingWrite[] {
    return Array.from(this.#writes.get(id) ?? [])
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([task, writes]) =>
        Array.from(writes.values(), ([channel, bytes]): CheckpointPendingWrite => {
          return [task, channel, Object(serde.loadsTyped("msgpack", bytes)).value];
        }),
      );
  }

  put(
    parentId: string | undefined,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): void {
    const before = parentId === undefined ? undefined : this.read(parentId)?.checkpoint.channel_values;
    const values = Object.keys(checkpoint.channel_versions).flatMap((channel): [string, unknown][] => {
      const source = Object.hasOwn(newVersions, channel) ? checkpoint.channel_values : (before ?? {});
      return Object.hasOwn(source, channel) ? [[channel, source[channel]]] : [];
    });
    const stored = {
      checkpoint: { ...checkpoint, channel_values: Object.fromEntries(values) },
      metadata,
      parentId,
    };
    this.#checkpoints.set(checkpoint.id, serde.dumpsTyped(stored)[1]);
  }

  /** Questions and answers replace each other, other writes stay as they came first. */
  putWrites(id: string, writes: readonly PendingWrite[], task: string): void {
    const ofCheckpoint =
      this.#writes.get(id) ?? new Map<string, Map<string | number, [string, Uint8Array]>>();
    this.#writes.set(id, ofCheckpoint);
    const ofTask = ofCheckpoint.get(task) ?? new Map<string | number, [string, Uint8Array]>();
    ofCheckpoint.set(task, ofTask);
    for (const [position, [channel, value]] of writes.entries()) {
      const key = channel === "__interrupt__" || channel === "__resume__" ? channel : position;
      if (typeof key === "string" || !ofTask.has(key))
        ofTask.set(key, [channel, serde.dumpsTyped({ value })[1]]);
    }
  }

  /** With their writes; whose parent goes gets the nearest ancestor that stays. */
  remove(ids: ReadonlySet<string>): void {
    const parents = new Map(this.ids.map((id) => [id, this.read(id)?.parentId]));
    for (const id of this.ids) {
      const stored = this.read(id);
      if (stored === undefined || ids.has(id) || !ids.has(stored.parentId ?? "")) continue;
      const walked = new Set([id]);
      let { parentId } = stored;
      while (parentId !== undefined && ids.has(parentId) && !walked.has(parentId)) {
        walked.add(parentId);
        parentId = parents.get(parentId);
      }
      if (parentId !== undefined && walked.has(parentId)) parentId = undefined;
      this.#checkpoints.set(id, serde.dumpsTyped({ ...stored, parentId })[1]);
    }
    for (const id of ids) {
      this.#checkpoints.delete(id);
      this.#writes.delete(id);
    }
  }
}
