import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { BaseCheckpointSaver } from "../../../src/checkpoint/saver.ts";
import type { PruneOptions } from "../../../src/checkpoint/prune-options.ts";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from "../../../src/checkpoint/types.ts";
import { migrate } from "../../../src/storage/migrations.ts";
import { SqliteSaver } from "../../../src/storage/sqlite-saver.ts";
import type { SqliteSaverOptions } from "../../../src/storage/sqlite-saver.ts";
import { threadMigrations } from "../../../src/thread/migrations.ts";

/** Those of what a saver keeps. */
export const MIGRATIONS = threadMigrations.filter(({ name }) =>
  ["checkpoints", "encrypted_blobs"].includes(name),
);

export interface SaverSettings extends Partial<Omit<SqliteSaverOptions, "sql" | "transact">> {
  readonly sql?: (sql: SqlStorage) => SqlStorage;
  readonly transact?: <T>(write: () => T, storage: DurableObjectStorage, isAtomic: boolean) => T;
}

/** A new Durable Object with the tables, and savers that work inside it. */
export class SaverObject {
  readonly stub = env.THREAD.get(env.THREAD.newUniqueId());
  readonly prefix = this.stub.id.toString();

  static async create(): Promise<SaverObject> {
    const object = new SaverObject();
    await object.run(({ storage }) => migrate(storage, MIGRATIONS));
    return object;
  }

  /** Runs inside of the object. */
  run<T>(work: (state: DurableObjectState) => T | Promise<T>): Promise<T> {
    return runInDurableObject(this.stub, (_, state) => work(state));
  }

  /** Every call of the saver runs inside of the object. */
  async saver(settings: SaverSettings = {}): Promise<SaverInObject> {
    const saver = await this.run(({ storage }) => {
      const { sql, transact, ...options } = settings;
      return new SqliteSaver({
        prefix: this.prefix,
        randomId: () => crypto.randomUUID(),
        onUnreadable: (error) => {
          throw error;
        },
        ...options,
        sql: sql === undefined ? storage.sql : sql(storage.sql),
        transact: (write, isAtomic = false) =>
          transact === undefined ? storage.transactionSync(write) : transact(write, storage, isAtomic),
      });
    });
    return new SaverInObject(this, saver);
  }

  query<Row extends Record<string, SqlStorageValue>>(
    statement: string,
    ...inputs: unknown[]
  ): Promise<Row[]> {
    return this.run(({ storage }) => storage.sql.exec<Row>(statement, ...inputs).toArray());
  }

  async count(table: "namespaces" | "checkpoints" | "writes" | "blobs" | "parts"): Promise<number> {
    const [row] = await this.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`);
    return row?.n ?? 0;
  }
}

export class SaverInObject extends BaseCheckpointSaver {
  readonly object: SaverObject;
  readonly inner: SqliteSaver;

  constructor(object: SaverObject, inner: SqliteSaver) {
    super(inner.serde);
    this.object = object;
    this.inner = inner;
  }

  override getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined> {
    return this.object.run(() => this.inner.getTuple(config));
  }

  override async *list(
    config: CheckpointConfig,
    options?: CheckpointListOptions,
  ): AsyncGenerator<CheckpointTuple> {
    yield* await this.object.run(async () => {
      const tuples: CheckpointTuple[] = [];
      for await (const tuple of this.inner.list(config, options)) tuples.push(tuple);
      return tuples;
    });
  }

  override put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<CheckpointConfig> {
    return this.object.run(() => this.inner.put(config, checkpoint, metadata, newVersions));
  }

  override putWrites(
    config: CheckpointConfig,
    writes: readonly PendingWrite[],
    taskId: string,
    taskPath?: string,
  ): Promise<void> {
    return this.object.run(() => this.inner.putWrites(config, writes, taskId, taskPath));
  }

  override deleteThread(threadId: string): Promise<void> {
    return this.object.run(() => this.inner.deleteThread(threadId));
  }

  override deleteForRuns(runIds: readonly string[]): Promise<void> {
    return this.object.run(() => this.inner.deleteForRuns(runIds));
  }

  override copyThread(sourceThreadId: string, targetThreadId: string): Promise<void> {
    return this.object.run(() => this.inner.copyThread(sourceThreadId, targetThreadId));
  }

  override prune(threadIds: readonly string[], options?: PruneOptions): Promise<void> {
    return this.object.run(() => this.inner.prune(threadIds, options));
  }
}
