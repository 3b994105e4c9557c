import type { Report } from "../log.ts";
import { MsgpackSerializer } from "../checkpoint/serde/msgpack-serializer.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { BlobReferences } from "../storage/blob-references.ts";
import { BlobMoves } from "../storage/blob-moves.ts";
import { LazyTables } from "../storage/lazy-tables.ts";
import { isMade, migrate, schemaVersion } from "../storage/migrations.ts";
import type { RecordStore } from "../storage/record-store.ts";
import { RootCheckpoints } from "../storage/root-checkpoints.ts";
import { Sql } from "../storage/sql.ts";
import { SqliteSaver, type SqliteSaverOptions } from "../storage/sqlite-saver.ts";
import { Tables } from "../storage/tables.ts";
import { type StorageUsage, usageOf } from "../storage/usage.ts";
import { AnswerRows } from "./answers/answer-rows.ts";
import { AttemptFence } from "./attempt/attempt-fence.ts";
import type { CommitGuard } from "./attempt/commit-guard.ts";
import { EventRows } from "./events/event-rows.ts";
import { CronRows } from "./crons/cron-rows.ts";
import { ReceivedEventRows } from "./waits/received-event-rows.ts";
import { IdempotencyRows } from "./idempotency/idempotency-rows.ts";
import { DeliveryRows } from "./outbox/delivery-rows.ts";
import { LimitQuestionRows } from "./attempt/limit-question-rows.ts";
import { deleteObjects } from "./life-cycle/delete-objects.ts";
import { lazyTables, newestTables, threadMigrations } from "./migrations.ts";
import type { ThreadPlatform } from "./platform.ts";
import { QueueRows } from "./queue/queue-rows.ts";
import { RunRows } from "./runs/run-rows.ts";
import type { Claim, NewRun, RunProgress, RunRow } from "./runs/run-row.ts";
import { type NewThread, ThreadRows, type ThreadRow } from "./thread-rows.ts";
import { Timers } from "./timers/timers.ts";

export interface ThreadStorageOptions {
  readonly storage: DurableObjectStorage;
  readonly platform: Pick<ThreadPlatform, "setAlarm" | "deleteAlarm" | "reached">;
  readonly bucket?: R2Bucket | undefined;
  /** Of the thread's objects in the bucket. */
  readonly prefix: string;
  readonly inlineLimit?: number | undefined;
  /** Writes and reads all that is stored of the thread; a `MsgpackSerializer` by default. */
  readonly serde?: SerializerProtocol | undefined;
  readonly randomId: () => string;
  /** Takes what nobody expected. */
  readonly report: Report;
  /** Lets others in between two turns of a long work. */
  readonly yieldTurn: () => Promise<void>;
}

/** All that is stored of one thread: its checkpoints, its runs, and itself. Tables are made by the first write. */
export class ThreadStorage {
  readonly #options: ThreadStorageOptions;
  readonly serde: SerializerProtocol;
  readonly saver: SqliteSaver;
  readonly records: RecordStore;
  readonly references: BlobReferences;
  readonly queue: QueueRows;
  readonly runs: RunRows;
  readonly checkpoints: RootCheckpoints;
  readonly answers: AnswerRows;
  readonly keys: IdempotencyRows;
  readonly received: ReceivedEventRows;
  readonly crons: CronRows;
  readonly randomId: () => string;
  readonly timers: Timers;
  readonly events: EventRows;
  readonly limitQuestion: LimitQuestionRows;
  readonly deliveries: DeliveryRows;
  /** Changes the thread's own row, which is there. */
  readonly row: Pick<ThreadRows, "bind" | "setMetadata" | "setTtl" | "noteChange" | "markDeleting">;
  /** For moving the thread. */
  readonly tables: Tables;
  readonly blobs: BlobMoves;
  readonly fence = new AttemptFence();
  /** The version of the tables that this code writes. */
  readonly newestSchema = Math.max(...threadMigrations.map(({ version }) => version));
  readonly #thread: ThreadRows;
  readonly #lazy: LazyTables;
  #hasTables = false;
  #revision = 0;

  constructor(options: ThreadStorageOptions) {
    this.#options = options;
    const { storage, bucket, prefix, inlineLimit, randomId, yieldTurn, report } = options;
    this.serde = options.serde ?? new MsgpackSerializer();
    const sql = new Sql(storage.sql);
    const lazy = new LazyTables(storage.sql, lazyTables);
    this.saver = new SqliteSaver({
      sql: storage.sql,
      tables: lazy,
      serde: this.serde,
      prefix,
      randomId,
      yieldTurn,
      otherBodies: () => this.runs.bodies(),
      onUnreadable: report,
      ...(bucket && { bucket }),
      ...(inlineLimit !== undefined && { inlineLimit }),
      transact: (write) => this.transaction(write),
    });
    this.records = this.saver.records();
    this.references = this.saver.references();
    this.queue = new QueueRows(sql);
    this.runs = new RunRows(sql, this.queue, lazy);
    this.checkpoints = new RootCheckpoints(sql);
    this.answers = new AnswerRows(lazy.of("answers"));
    this.keys = new IdempotencyRows(lazy.of("idempotency_keys"));
    this.crons = new CronRows(lazy.of("crons"));
    this.received = new ReceivedEventRows(lazy.of("received_events"));
    this.randomId = randomId;
    this.timers = new Timers(sql, options.platform);
    this.events = new EventRows(lazy.of("events"));
    this.limitQuestion = new LimitQuestionRows(lazy.of("limit_question"));
    this.deliveries = new DeliveryRows(lazy.of("deliveries"));
    this.#thread = new ThreadRows(sql);
    this.row = this.#thread;
    this.tables = new Tables(storage.sql, (table) => {
      this.forget();
      lazy.make(table);
    });
    this.blobs = new BlobMoves(lazy, bucket, prefix, this.serde);
    this.#lazy = lazy;
  }

  /** Grows with every transaction of this instance. */
  get revision(): number {
    return this.#revision;
  }

  usage(): StorageUsage {
    return usageOf(this.#options.storage, this.#lazy);
  }

  schemaVersion(): number {
    return schemaVersion(this.#options.storage.sql, this.#lazy.names());
  }

  /**
   * The saver whose commits go with the guard: also those that come late, when its run is over. `alongside` goes with its
   * checkpoints.
   */
  saverFor(guard: CommitGuard, alongside?: SqliteSaverOptions["alongside"]): SqliteSaver {
    return this.saver.bind({
      transact: (write, isAtomic = false) => this.#transact(guard, "checkpoint", write, isAtomic),
      transactTask: (write, isAtomic = false) => this.#transact(guard, "task", write, isAtomic),
      ...(alongside && { alongside }),
    });
  }

  /** The thread's own row, undefined when nothing was ever written. */
  thread(): ThreadRow | undefined {
    if (!this.#hasTables) {
      if (!isMade(this.#lazy.names())) return undefined;
      this.#migrate();
    }
    return this.#thread.get();
  }

  /** Reads the rows themselves from here on, whatever they said. */
  forget(): void {
    for (const rows of this.#remembering()) rows.forget();
  }

  /** In a transaction: enters the run once more. What is returned may commit from now on, and no attempt before it. */
  claim(run: RunRow, claim: Claim): RunRow {
    this.runs.claim(run.id, claim);
    if (run.startedAt === undefined) this.#limitTime(run, claim);
    const isEntered = run.cancelled === undefined;
    const claimed: RunRow = { ...run, ...(isEntered && { status: "running", attempt: run.attempt + 1 }) };
    this.fence.enter(claimed);
    return claimed;
  }

  /** In a transaction: takes in a run that is entered at once. See `claim`. */
  insertClaimed(run: NewRun, claim: Claim): RunRow {
    const claimed = this.runs.insert(run, claim);
    this.#limitTime(claimed, claim);
    this.fence.enter(claimed);
    return claimed;
  }

  /** How far the run has come, by its newest checkpoint. */
  progress(run: RunRow): RunProgress {
    if (run.progress !== undefined) return run.progress;
    const head = this.saver.head(this.#thread.get()?.thread_id ?? "");
    if (head?.metadata.run !== run.id) return { checkpointId: undefined, supersteps: 0 };
    const step = head.metadata.step ?? 0;
    return { checkpointId: head.id, supersteps: step - (this.runs.get(run.id)?.firstStep ?? step) };
  }

  /** One synchronous transaction. */
  transaction<T>(write: () => T): T {
    this.#revision += 1;
    try {
      return this.#options.storage.transactionSync(() => this.timers.within(write));
    } catch (error) {
      // The tables may have been made in it.
      this.#hasTables = false;
      this.forget();
      throw error;
    }
  }

  /**
   * Makes the tables for a thread that is about to be created: what is large is looked up in them. Of an older version
   * for rows that have it: they are brought up to date by the next call.
   */
  prepare(version = this.newestSchema): void {
    this.#migrate(version);
  }

  /** Undoes `prepare` when the thread has not come to be. */
  async reset(): Promise<void> {
    this.#hasTables = false;
    this.forget();
    this.timers.reset();
    await this.#options.storage.deleteAll();
  }

  /** Leaves no trace of a run that was refused. */
  removeRun({ id, createdAt }: RunRow): void {
    this.runs.remove(id);
    this.answers.removeOf(id);
    this.removeEvents(id);
    this.deliveries.removeOf(id);
    this.keys.removeOf(id, createdAt);
  }

  /** The log of a run, and what it is looked after by. */
  removeEvents(runId: string): void {
    this.events.remove(runId);
    this.timers.clear("event_log", runId);
  }

  /** The first write of a thread. */
  create(row: NewThread): void {
    this.#migrate();
    this.#thread.insert(row);
  }

  /**
   * Removes all that there is: objects first, since only the rows know that something is left to do. Whoever calls it has
   * waited for the writes that are under way; those that are not over by then fail.
   */
  async deleteAll(): Promise<void> {
    const { storage, bucket, prefix } = this.#options;
    this.saver.abandon();
    this.fence.close();
    if (bucket !== undefined) await deleteObjects(bucket, `${prefix}/`);
    this.#options.platform.reached("thread.objects_deleted");
    await storage.deleteAlarm();
    await storage.deleteAll();
    this.timers.reset();
    this.forget();
    this.#hasTables = false;
  }

  #limitTime({ id, timeLimit }: RunRow, { startedAt }: Claim): void {
    if (timeLimit !== undefined) this.timers.set("time_limit", id, startedAt + timeLimit);
  }

  #migrate(version = this.newestSchema): void {
    const { storage } = this.#options;
    const isNewest = version === this.newestSchema;
    const steps = threadMigrations.filter((migration) => migration.version <= version);
    let before = 0;
    try {
      before = migrate(storage, steps, isNewest ? newestTables : undefined, this.#lazy.names());
    } finally {
      // The tables may have been made also where it throws.
      if (before < version) this.forget();
    }
    if (before === 0) for (const rows of this.#remembering()) rows.noteEmpty();
    this.#hasTables = isNewest;
  }

  /** The rows of which is known what they say. */
  #remembering() {
    return [this.#thread, this.queue, this.runs, this.timers, this.#lazy];
  }

  #transact<T>(guard: CommitGuard, kind: "checkpoint" | "task", write: () => T, isAtomic: boolean): T {
    guard.check();
    const result = isAtomic && !guard.accompanies ? this.#writeAlone(write) : this.#writeWith(guard, write);
    guard.committed(kind);
    return result;
  }

  #writeAlone<T>(write: () => T): T {
    this.#revision += 1;
    return write();
  }

  #writeWith<T>(guard: CommitGuard, write: () => T): T {
    return this.transaction(() => {
      const written = write();
      guard.accompany();
      return written;
    });
  }
}
