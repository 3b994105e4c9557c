import { errorBody, TidemarkError } from "../errors.ts";
import type { Environment } from "../pregel/environment.ts";
import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import { threadBusy, threadDeleted, threadExists, threadNotFound, wireError } from "./errors.ts";
import { jsonBytes, jsonPage } from "./answer-text.ts";
import { editState } from "./edit-state.ts";
import { EventStream } from "./event-stream.ts";
import { GraphCatalog } from "./graph-catalog.ts";
import { GraphRunner } from "./graph-runner.ts";
import type {
  Bytes,
  EditState,
  ImportedThread,
  ReadHistory,
  ReadState,
  Reply,
  StartRun,
  ThreadAddress,
  ThreadApi,
} from "./protocol.ts";
import { AnsweredError, answerFault, readRunEnd } from "./run-answer.ts";
import type { RunEnd } from "./run-end.ts";
import { RunListeners } from "./run-listeners.ts";
import { RETRY_DELAY, RunQueue, type QueuePlatform } from "./run-queue.ts";
import { stageRun, type StagedRun } from "./stage-run.ts";
import { StateReader } from "./state-reader.ts";
import type { ThreadStorage } from "./thread-storage.ts";
import { ThreadTransfer } from "./thread-transfer.ts";
import { eventName, wireAnswer } from "./wire.ts";

export interface ThreadOptions {
  readonly storage: ThreadStorage;
  readonly platform: QueuePlatform;
  readonly environment: Environment;
  readonly graphs: Readonly<Record<string, RunnableGraph>>;
}

/**
 * One thread: everything that happens to it goes through here, one thing at a time. Nothing is written for a call that is
 * refused, and what was left unfinished is taken up by the first call, or the alarm, after a restart.
 */
export class Thread implements ThreadApi {
  readonly #storage: ThreadStorage;
  readonly #environment: Environment;
  readonly #platform: QueuePlatform;
  readonly #catalog: GraphCatalog;
  readonly #runner: GraphRunner;
  readonly #queue: RunQueue;
  readonly #states: StateReader;
  readonly #listeners = new RunListeners();
  readonly #transfer: ThreadTransfer;
  /** Inputs that are being stored, before their runs are in the queue. */
  readonly #staging = new Set<Promise<StagedRun>>();
  #deletion: Promise<void> | undefined;
  /** How often this instance has deleted the thread. */
  #deletions = 0;
  /** In a row. */
  #failedDeletions = 0;

  constructor(options: ThreadOptions) {
    const { storage, environment, platform } = options;
    this.#storage = storage;
    this.#environment = environment;
    this.#platform = platform;
    this.#catalog = new GraphCatalog(options.graphs);
    this.#states = new StateReader(storage, this.#catalog);
    this.#runner = new GraphRunner({
      storage,
      environment,
      graph: () => this.#catalog.require(storage.thread()?.graph ?? ""),
      threadId: () => storage.thread()?.thread_id ?? "",
      emit: (runId, event) => this.#listeners.emit(runId, event),
      onLeave: () => {
        // A deletion that has begun keeps its own.
        if (this.#queue.isEmpty() && storage.thread()?.deleting === 0) platform.deleteAlarm();
      },
    });
    this.#queue = new RunQueue(storage, platform, this.#runner);
    this.#transfer = new ThreadTransfer(storage, platform, this.#catalog);
  }

  invoke(start: StartRun): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready();
      await this.#start(start);
      return this.#answer(start);
    });
  }

  stream(start: StartRun, isAttached: boolean): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready();
      const stream = new EventStream();
      if (!isAttached) stream.push("metadata", { run_id: start.runId, thread_id: start.threadId });
      const stop = this.#listeners.add(start.runId, (event) =>
        stream.push(eventName(event, start.request.subgraphs ?? false), event.payload),
      );
      try {
        await this.#start(start);
      } catch (error) {
        stop();
        stream.fail(error);
        throw error;
      }
      this.#platform.waitUntil(this.#finishStream(start, stream, stop));
      return stream.body;
    });
  }

  getState(read: ReadState): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready();
      return jsonBytes(await this.#states.state(read));
    });
  }

  getHistory(read: ReadHistory): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready();
      return jsonPage(this.#states.history(read), (fault) => this.#platform.report(fault));
    });
  }

  updateState(edit: EditState): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready();
      const thread = this.#storage.thread();
      if (thread === undefined) throw threadNotFound(edit.threadId);
      const graph = this.#catalog.require(thread.graph);
      if (!this.#queue.isEmpty()) throw threadBusy(edit.threadId);
      return this.#queue.exclusive(() => editState(this.#storage, this.#environment, graph, edit));
    });
  }

  deleteThread(address: ThreadAddress): Promise<Reply<null>> {
    return replying(async () => {
      this.#transfer.requireIdle();
      const thread = this.#storage.thread();
      if (thread === undefined) throw threadNotFound(address.threadId);
      if (thread.deleting === 0) {
        this.#storage.transaction(() => {
          this.#storage.markDeleting();
          this.#platform.setAlarm(this.#platform.now());
        });
      }
      await this.#finishDeletion(address.threadId);
      return null;
    });
  }

  exportThread(address: ThreadAddress): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready();
      if (this.#storage.thread() === undefined) throw threadNotFound(address.threadId);
      if (!this.#queue.isEmpty()) throw threadBusy(address.threadId);
      // What is not durable yet must not be seen elsewhere.
      await this.#platform.sync();
      return this.#transfer.export(address.threadId);
    });
  }

  importThread(address: ThreadAddress, archive: Bytes): Promise<Reply<ImportedThread>> {
    return replying(async () => {
      await this.#ready();
      const isTaken = this.#storage.thread() !== undefined || this.#staging.size > 0;
      if (isTaken) throw threadExists(address.threadId);
      return this.#transfer.import(address, archive);
    });
  }

  /** The alarm has fired. */
  async alarm(): Promise<void> {
    if (this.#transfer.isImporting) return this.#transfer.guard();
    try {
      await this.#ready();
    } catch (fault) {
      // A deletion that could not be finished has set the alarm again.
      return this.#platform.report(fault);
    }
    if (this.#storage.thread() !== undefined) this.#queue.onAlarm();
  }

  /** Takes up what an earlier instance has left: a deletion, or runs. */
  async #ready(): Promise<void> {
    this.#transfer.requireIdle();
    const thread = this.#storage.thread();
    if (thread === undefined) return;
    if (thread.deleting === 1) await this.#finishDeletion(thread.thread_id);
    else this.#queue.wake();
  }

  /** Puts the run into the queue, unless it is known. Refuses before anything is written. */
  async #start(start: StartRun): Promise<void> {
    this.#transfer.requireIdle();
    const storage = this.#storage;
    const now = this.#environment.now();
    if (storage.thread() !== undefined && storage.runs.get(start.runId) !== undefined) return;
    const name = this.#catalog.choose(start, storage.thread()?.graph);
    const deletions = this.#deletions;
    const staged = await this.#stage(start);
    try {
      storage.transaction(() => {
        if (deletions !== this.#deletions) throw threadDeleted(start.threadId);
        // Another call may have created the thread, or the run, while this one was staged.
        const thread = storage.thread();
        if (thread === undefined) {
          storage.create({
            tenant: start.tenant,
            thread_id: start.threadId,
            graph: name,
            created_at: now,
          });
        } else {
          this.#catalog.choose(start, thread.graph);
          if (storage.runs.get(start.runId) !== undefined) return;
        }
        this.#queue.accept(start.runId);
        staged.record.commit();
        storage.runs.enqueue({ ...staged.run, createdAt: now });
      });
    } finally {
      staged.record.release();
    }
    this.#queue.wake();
  }

  async #stage(start: StartRun): Promise<StagedRun> {
    const storage = this.#storage;
    if (storage.thread() === undefined) storage.prepare();
    const staging = stageRun(storage, start);
    this.#staging.add(staging);
    try {
      return await staging;
    } catch (error) {
      if (this.#staging.size === 1 && storage.thread() === undefined) await storage.reset();
      throw error;
    } finally {
      this.#staging.delete(staging);
    }
  }

  async #answer(start: StartRun): Promise<Bytes> {
    try {
      const end = await this.#end(start);
      const values = await this.#states.values(start.threadId, end);
      return jsonBytes(wireAnswer(start.threadId, start.runId, end, values));
    } catch (error) {
      throw this.#answerFault(start, error);
    }
  }

  /** Waits until the run has ended. */
  async #end(start: StartRun): Promise<RunEnd> {
    const completion = await this.#queue.completion(start.runId);
    return readRunEnd(this.#storage, start, completion);
  }

  #answerFault(start: StartRun, error: unknown): unknown {
    const fault = answerFault(start.runId, error);
    if (fault !== error) this.#platform.report(error);
    return fault;
  }

  async #finishStream(start: StartRun, stream: EventStream, stop: () => void): Promise<void> {
    try {
      const end = await this.#end(start);
      const { status, next, interrupts, checkpointId } = end;
      stream.push("end", {
        run_id: start.runId,
        status,
        next,
        interrupts,
        checkpoint_id: checkpointId ?? null,
      });
      stream.end();
    } catch (fault) {
      const error = this.#answerFault(start, fault);
      if (error instanceof TidemarkError) {
        stream.push("error", errorBody(wireError(error)));
        stream.end();
      } else {
        // The object can no longer see to the run: the router asks again, of the next instance.
        stream.fail(error);
      }
    } finally {
      stop();
    }
    await stream.written;
  }

  #finishDeletion(threadId: string): Promise<void> {
    this.#deletion ??= this.#delete(threadId).finally(() => {
      this.#deletion = undefined;
    });
    return this.#deletion;
  }

  async #delete(threadId: string): Promise<void> {
    const gone = threadDeleted(threadId);
    this.#deletions += 1;
    this.#runner.abort(gone);
    this.#queue.dismiss(wireError(gone));
    await Promise.allSettled(this.#staging);
    try {
      await this.#queue.exclusive(() => this.#storage.deleteAll());
    } catch (fault) {
      // The mark is there, and the alarm goes on with it.
      this.#failedDeletions += 1;
      const delay = Math.min(RETRY_DELAY * this.#failedDeletions, this.#platform.lease);
      this.#platform.setAlarm(this.#platform.now() + delay);
      throw fault;
    }
    this.#failedDeletions = 0;
  }
}

async function replying<Value>(work: () => Promise<Value>): Promise<Reply<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    return { ok: false, error: wireError(error), isFailed: error instanceof AnsweredError && error.isFailed };
  }
}
