import { ArchiveTooNewError, InvalidArchiveError } from "../../archive/errors.ts";
import type {
  BlobPart,
  Cell,
  ContentRecord,
  Rows,
  SavedCheckpoint,
  ThreadHeader,
} from "../../archive/records.ts";
import { MAX_BLOB } from "../../storage/limits.ts";
import { toHex } from "../../hex.ts";
import type { ChannelVersions, MaybePromise, PendingWrite } from "../../checkpoint/types.ts";
import type { JsonObject } from "../../directory/protocol.ts";
import { ARCHIVED_TABLES, OWNER_COLUMNS } from "./archived-tables.ts";
import { movedColumns } from "./archived-thread-row.ts";
import { type HashedKey, hashedKey } from "../idempotency/content-hashes.ts";
import type { CrashPoint } from "../crash-points.ts";
import type { Idempotency, ThreadAddress } from "../call.ts";
import type { ImportedThread } from "../life-cycle/life-cycle-protocol.ts";
import { patchedMetadata } from "../thread-metadata.ts";
import type { ThreadStorage } from "../thread-storage.ts";

export interface ImportOptions {
  readonly storage: ThreadStorage;
  readonly address: ThreadAddress;
  /** Takes the place of what the archive says of the thread under these keys. */
  readonly metadata: JsonObject | undefined;
  readonly isCopy: boolean | undefined;
  /** The graph that the thread is to be bound to; refuses one that the deployment does not have. */
  readonly chooseGraph: (named: string | undefined) => string;
  readonly idempotency: Idempotency | undefined;
  readonly now: number;
  readonly reached: (point: CrashPoint) => void;
}

/**
 * Makes a thread of the records of an archive. Its row carries the mark of a deletion until everything is there: what
 * is left of an import that was broken off is removed like a thread whose deletion was.
 */
export async function importThread(
  records: AsyncGenerator<ContentRecord, Uint8Array, undefined>,
  options: ImportOptions,
): Promise<ImportedThread> {
  const first = await records.next();
  if (first.done === true || first.value.kind !== "thread") {
    throw new InvalidArchiveError("it does not begin with the thread");
  }
  const target = new ImportTarget(first.value, options);
  target.begin();
  options.reached("import.begun");
  for (;;) {
    const record = await records.next();
    if (record.done === true) return target.finish(await archiveKey(options, record.value));
    await target.take(record.value);
    options.reached("import.stored");
  }
}

/** What the key of a call that imports this archive stands for. */
export function archiveKey(
  { storage, idempotency }: Pick<ImportOptions, "storage" | "idempotency">,
  digest: Uint8Array,
): MaybePromise<HashedKey | undefined> {
  return hashedKey(storage.serde, idempotency && { ...idempotency, hash: toHex(digest) });
}

class ImportTarget {
  readonly #header: ThreadHeader;
  readonly #options: ImportOptions;
  readonly #graph: string;
  readonly #columns: Readonly<Record<string, Cell>>;
  readonly #counts = { checkpoints: 0, runs: 0 };
  /** The hashes of those that came. */
  readonly #blobs = new Set<string>();
  /** The hashes of those that are encrypted with a key which is not here. */
  readonly #unchecked: string[] = [];
  #blob: { readonly hash: string; readonly bytes: Uint8Array; filled: number } | undefined;

  constructor(header: ThreadHeader, options: ImportOptions) {
    this.#header = header;
    this.#options = options;
    this.#graph = options.chooseGraph(header.graph);
    this.#columns = movedColumns(header.columns ?? {}, this.#graph);
    const newest = options.storage.newestSchema;
    if (header.schema > newest) throw new ArchiveTooNewError("tables", header.schema, newest);
  }

  begin(): void {
    const { storage, address, now } = this.#options;
    storage.prepare(this.#header.schema === 0 ? storage.newestSchema : this.#header.schema);
    const { tenant, threadId } = address;
    const row = { id: 1, tenant, thread_id: threadId, graph: this.#graph, created_at: now, deleting: 1 };
    this.#insert("thread", [row]);
  }

  take(record: ContentRecord): Promise<void> | void {
    if (record.kind !== "blob" && this.#blob !== undefined) throw incompleteBlob(this.#blob.hash);
    switch (record.kind) {
      case "rows":
        return this.#takeRows(record);
      case "blob":
        return this.#takeBlobPart(record);
      case "checkpoint":
        return this.#takeCheckpoint(record);
      case "thread":
        throw new InvalidArchiveError("it holds more than one thread");
    }
  }

  async finish(key: HashedKey | undefined): Promise<ImportedThread> {
    const { storage, address, metadata, isCopy, now } = this.#options;
    const { missingBlobs } = this.#header;
    if (this.#blob !== undefined) throw incompleteBlob(this.#blob.hash);
    storage.prepare();
    const missing = storage.blobs.outside(address.threadId).filter(({ hash }) => !this.#blobs.has(hash));
    if (missing.length > 0) throw new InvalidArchiveError(`${missing.length} large values are missing`);
    for (const { hash } of storage.blobs.all(address.threadId))
      if (!this.#blobs.has(hash)) await this.#requireTrue(hash);
    const imported = {
      graph: this.#graph,
      ...this.#counts,
      blobs: this.#blobs.size,
      ...(missingBlobs && { missing_blobs: missingBlobs }),
      ...(this.#unchecked.length > 0 && { unchecked_blobs: this.#unchecked }),
    };
    this.#fit("thread", () => {
      const times = { updated_at: now, ...(isCopy && { created_at: now }) };
      for (const [column, value] of Object.entries({ ...this.#columns, ...times })) {
        storage.tables.update("thread", column, value);
      }
      if (metadata !== undefined) this.#restate(metadata);
      storage.tables.update("thread", "deleting", 0);
      // What the thread waits for is found out by looking.
      storage.timers.set("wait", "", now);
      if (key !== undefined) storage.keys.insert(key, JSON.stringify(imported), now);
    });
    storage.saver.forget();
    return imported;
  }

  /** In a transaction. */
  #restate(metadata: JsonObject): void {
    const { storage } = this.#options;
    const thread = storage.thread();
    if (thread === undefined) return;
    const restated = patchedMetadata(thread.metadata, metadata, thread.graph);
    storage.tables.update("thread", "metadata", JSON.stringify(restated));
  }

  #takeRows({ table, columns, rows }: Rows): void {
    const { address } = this.#options;
    if (!ARCHIVED_TABLES.some((name) => name === table)) {
      throw new InvalidArchiveError(`rows of "${table}" are not part of an archive`);
    }
    const owner: Readonly<Record<string, string>> = { tenant: address.tenant, thread_id: address.threadId };
    const cell = (column: string, value: Cell | undefined) =>
      OWNER_COLUMNS.includes(column) ? (owner[column] ?? null) : (value ?? null);
    this.#insert(
      table,
      rows.map((row) =>
        Object.fromEntries(columns.map((column, index) => [column, cell(column, row[index])])),
      ),
    );
    if (table === "checkpoints" || table === "runs") this.#counts[table] += rows.length;
  }

  #insert(table: string, rows: readonly Readonly<Record<string, Cell>>[]): void {
    this.#fit(table, () => this.#options.storage.tables.insert(table, rows));
  }

  /** One transaction. What a table does not take is the archive's fault. */
  #fit(table: string, write: () => void): void {
    try {
      this.#options.storage.transaction(write);
    } catch (cause) {
      throw new InvalidArchiveError(`rows of "${table}" do not fit`, cause);
    }
  }

  async #takeBlobPart({ hash, size, bytes }: BlobPart): Promise<void> {
    const { storage, address } = this.#options;
    // All rows are there; what is known of large values is read in today's form.
    if (this.#blob === undefined) storage.prepare();
    if (this.#blobs.has(hash)) throw new InvalidArchiveError(`it has the large value ${hash} twice`);
    this.#blob ??= { hash, bytes: newBlob(hash, size), filled: 0 };
    const blob = this.#blob;
    if (blob.hash !== hash || blob.filled + bytes.length > blob.bytes.length) throw incompleteBlob(blob.hash);
    blob.bytes.set(bytes, blob.filled);
    blob.filled += bytes.length;
    if (blob.filled < blob.bytes.length) return;
    this.#blob = undefined;
    await this.#requireTrue(hash, blob.bytes);
    await storage.blobs.write(address.threadId, hash, blob.bytes);
    this.#blobs.add(hash);
  }

  async #requireTrue(hash: string, bytes?: Uint8Array): Promise<void> {
    const { storage, address } = this.#options;
    const isTrue = await storage.blobs.isTrue(address.threadId, hash, bytes);
    if (isTrue === undefined) this.#unchecked.push(hash);
    if (isTrue !== false) return;
    throw new InvalidArchiveError(`the large value ${hash} is another one`);
  }

  async #takeCheckpoint({
    namespace,
    parentId,
    checkpoint,
    metadata,
    writes,
  }: SavedCheckpoint): Promise<void> {
    const { saver } = this.#options.storage;
    const at = {
      thread_id: this.#options.address.threadId,
      checkpoint_ns: namespace,
    };
    const parent = { configurable: { ...at, ...(parentId !== undefined && { checkpoint_id: parentId }) } };
    const config = await saver.put(parent, checkpoint, metadata, versionsOf(checkpoint));
    for (const [task, own] of Map.groupBy(writes, ([taskId]) => taskId)) {
      const pending = own.map(([, channel, value]): PendingWrite => [channel, value]);
      await saver.putWrites(config, pending, task);
    }
    this.#counts.checkpoints += 1;
  }
}

/** Every value is a new one, also where an older checkpoint has no versions. */
function versionsOf({ channel_values, channel_versions }: SavedCheckpoint["checkpoint"]): ChannelVersions {
  const unversioned = Object.keys(channel_values).map((channel) => [channel, 1] as const);
  return { ...Object.fromEntries(unversioned), ...channel_versions };
}

function newBlob(hash: string, size: number): Uint8Array {
  if (size > 0 && size <= MAX_BLOB) return new Uint8Array(size);
  throw new InvalidArchiveError(`the large value ${hash} has ${size} bytes`);
}

function incompleteBlob(hash: string): InvalidArchiveError {
  return new InvalidArchiveError(`the large value ${hash} is not complete`);
}
