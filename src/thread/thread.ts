import {
  errorBody,
  InvalidUpdateError,
  ReducerError,
  RefusedError,
  TidemarkError,
  type WireError,
} from "../errors.ts";
import type { Environment } from "../pregel/environment.ts";
import type { Pregel } from "../pregel/pregel.ts";
import type { StreamEvent } from "../pregel/types.ts";
import { threadBusy, threadDeleted, threadNotFound, wireError } from "./errors.ts";
import { EventStream } from "./event-stream.ts";
import { GraphCatalog } from "./graph-catalog.ts";
import { GraphRunner } from "./graph-runner.ts";
import type {
  Bytes,
  EditState,
  ReadHistory,
  ReadState,
  Reply,
  StartRun,
  ThreadAddress,
  ThreadApi,
} from "./protocol.ts";
import type { RunEnd } from "./run-end.ts";
import { RunQueue, type Completion, type QueuePlatform } from "./run-queue.ts";
import { stageRun } from "./stage-run.ts";
import { StateReader } from "./state-reader.ts";
import type { ThreadStorage } from "./thread-storage.ts";
import { jsonBytes, wireAnswer, wireCheckpoint } from "./wire.ts";

export interface ThreadOptions {
  readonly storage: ThreadStorage;
  readonly platform: QueuePlatform;
  readonly environment: Environment;
  readonly graphs: Readonly<Record<string, Pregel>>;
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
  readonly #listeners = new Map<string, Set<(event: StreamEvent) => void>>();
  #deletion: Promise<void> | undefined;

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
      emit: (runId, event) => this.#listeners.get(runId)?.forEach((listener) => listener(event)),
      onLeave: () => {
        if (this.#queue.isEmpty()) platform.deleteAlarm();
      },
    });
    this.#queue = new RunQueue(storage, platform, this.#runner);
  }

  invoke(start: StartRun): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready();
      await this.#start(start);
      return this.#answer(start, await this.#queue.completion(start.runId));
    });
  }

  stream(start: StartRun, isAttached: boolean): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready();
      const stream = new EventStream();
      const stop = this.#listen(start.runId, ({ mode, payload }) => stream.push(mode, payload));
      try {
        await this.#start(start);
      } catch (error) {
        stop();
        throw error;
      }
      if (!isAttached) stream.push("metadata", { run_id: start.runId, thread_id: start.threadId });
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
      return jsonBytes(await this.#states.history(read));
    });
  }

  updateState(edit: EditState): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready();
      const thread = this.#storage.thread();
      if (thread === undefined) throw threadNotFound(edit.threadId);
      const graph = this.#catalog.require(thread.graph);
      if (!this.#queue.isEmpty()) throw threadBusy(edit.threadId);
      return this.#queue.exclusive(() => this.#edit(graph, edit));
    });
  }

  deleteThread(address: ThreadAddress): Promise<Reply<null>> {
    return replying(async () => {
      await this.#ready();
      if (this.#storage.thread() === undefined) throw threadNotFound(address.threadId);
      this.#storage.transaction(() => {
        this.#storage.markDeleting();
        this.#platform.setAlarm(this.#platform.now());
      });
      await this.#finishDeletion(address.threadId);
      return null;
    });
  }

  /** The alarm has fired. */
  async alarm(): Promise<void> {
    await this.#ready();
    if (this.#storage.thread() !== undefined) this.#queue.onAlarm();
  }

  /** Takes up what an earlier instance has left: a deletion, or runs. */
  async #ready(): Promise<void> {
    const thread = this.#storage.thread();
    if (thread === undefined) return;
    if (thread.deleting === 1) await this.#finishDeletion(thread.thread_id);
    else this.#queue.wake();
  }

  /** Puts the run into the queue, unless it is known. Refuses before anything is written. */
  async #start(start: StartRun): Promise<void> {
    const { storage, environment } = { storage: this.#storage, environment: this.#environment };
    if (storage.thread() !== undefined && storage.runs.get(start.runId) !== undefined) return;
    const name = this.#catalog.choose(start, storage.thread()?.graph);
    const staged = await stageRun(storage, start);
    try {
      storage.transaction(() => {
        // Another call may have created the thread, or the run, while this one was staged.
        const thread = storage.thread();
        if (thread === undefined) {
          storage.create({
            tenant: start.tenant,
            thread_id: start.threadId,
            graph: name,
            created_at: environment.now(),
          });
        } else {
          this.#catalog.choose(start, thread.graph);
          if (storage.runs.get(start.runId) !== undefined) return;
        }
        this.#queue.guardByAlarm();
        staged.record.commit();
        storage.runs.enqueue({ ...staged.run, createdAt: environment.now() });
      });
    } finally {
      staged.record.release();
    }
    this.#queue.wake();
  }

  async #answer(start: StartRun, completion: Completion): Promise<Bytes> {
    const { end, values } = await this.#ended(start, completion);
    return jsonBytes(wireAnswer(start.threadId, start.runId, end, values));
  }

  /** How the run ended, from its row: the same for everybody who asks, whenever they do. */
  async #ended(start: StartRun, completion: Completion): Promise<{ end: RunEnd; values: unknown }> {
    if (completion.status === "refused") throw new WireReply(completion.error);
    const outcome = this.#storage.runs.get(start.runId)?.outcome;
    if (outcome === undefined) throw threadDeleted(start.threadId);
    // Written by the graph runner.
    const end = (await this.#storage.records.read(start.threadId, outcome)) as RunEnd;
    if (end.error !== undefined) throw new WireReply(end.error);
    const values =
      end.checkpointId === undefined ? {} : await this.#states.values(start.threadId, end.checkpointId);
    return { end, values };
  }

  async #finishStream(start: StartRun, stream: EventStream, stop: () => void): Promise<void> {
    try {
      const { end } = await this.#ended(start, await this.#queue.completion(start.runId));
      const { status, next, interrupts, checkpointId } = end;
      stream.push("end", {
        run_id: start.runId,
        status,
        next,
        interrupts,
        checkpoint_id: checkpointId ?? null,
      });
      stream.end();
    } catch (error) {
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

  #listen(runId: string, listener: (event: StreamEvent) => void): () => void {
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(runId);
    };
  }

  async #edit(graph: Pregel, edit: EditState): Promise<Bytes> {
    const { saver } = this.#storage;
    const configurable = { thread_id: edit.threadId, checkpoint_ns: "" };
    const head = await saver.getTuple({ configurable });
    if (head?.metadata?.run_id === edit.editId)
      return jsonBytes({ checkpoint: wireCheckpoint(edit.threadId, head.config) });
    const named = edit.checkpointId === undefined ? {} : { checkpoint_id: edit.checkpointId };
    const address = { configurable: { ...configurable, ...named } };
    const options = { checkpointer: saver, environment: this.#environment, runId: edit.editId };
    const config = await graph.updateState(address, edit.values, edit.asNode, options).catch(asRefusedEdit);
    return jsonBytes({ checkpoint: wireCheckpoint(edit.threadId, config) });
  }

  #finishDeletion(threadId: string): Promise<void> {
    this.#deletion ??= this.#delete(threadId).finally(() => {
      this.#deletion = undefined;
    });
    return this.#deletion;
  }

  async #delete(threadId: string): Promise<void> {
    const gone = threadDeleted(threadId);
    this.#runner.abort(gone);
    this.#queue.dismiss(wireError(gone));
    await this.#queue.exclusive(() => this.#storage.deleteAll());
  }
}

/** Carries an error that is in its wire form already to where replies are made. */
class WireReply extends RefusedError {
  constructor({ code, message, details }: WireError) {
    super(code, message, { details });
  }
}

/** What cannot be applied is the caller's to mend: nothing was changed. */
function asRefusedEdit(error: unknown): never {
  if (error instanceof InvalidUpdateError || error instanceof ReducerError) {
    throw new RefusedError("update_refused", error.message, { details: error.details, cause: error });
  }
  throw error;
}

async function replying<Value>(work: () => Promise<Value>): Promise<Reply<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof TidemarkError) return { ok: false, error: wireError(error) };
    throw error;
  }
}
