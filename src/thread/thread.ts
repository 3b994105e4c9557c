import { jsonBytes, jsonPage } from "./answer-text.ts";
import { type Ready, requireAccess } from "./access.ts";
import type { HooksApi } from "./answers/hook-protocol.ts";
import { ThreadHooks } from "./answers/thread-hooks.ts";
import type { Bytes, Reply, ThreadAddress } from "./call.ts";
import { ThreadCrons } from "./crons/thread-crons.ts";
import { runNotFound, threadBusy, threadNotFound } from "./errors.ts";
import type { ReadEvents, RunEvents } from "./events/event-protocol.ts";
import type { FeedSockets, Listen } from "./feed/feed-sockets.ts";
import { KeptAnswers } from "./idempotency/kept-answers.ts";
import type { KeysApi } from "./idempotency/key-protocol.ts";
import { ThreadLifeCycle } from "./life-cycle/thread-life-cycle.ts";
import { replying } from "./replying.ts";
import type { NamedRun, StartRun } from "./runs/run-protocol.ts";
import { ThreadRuns } from "./runs/thread-runs.ts";
import { editOnce } from "./state/edit-state.ts";
import type { EditState, ReadHistory, ReadState } from "./state/state-protocol.ts";
import { type ThreadOptions, type ThreadParts, threadParts } from "./thread-parts.ts";
import type { EventReceipt, SendEvent } from "./waits/sent-event.ts";
import { wireAnswer, wireValues } from "./wire.ts";

/**
 * One thread: everything that happens to it goes through here, one thing at a time. Nothing is written for a call that is
 * refused, and what was left unfinished is taken up by the first call, or the alarm, after a restart.
 */
export class Thread {
  readonly runs: ThreadRuns;
  readonly hooks: HooksApi;
  readonly keys: KeysApi;
  readonly lifeCycle: ThreadLifeCycle;
  readonly crons: ThreadCrons;
  readonly feed: FeedSockets;
  readonly #parts: ThreadParts;

  constructor(options: ThreadOptions) {
    const parts = threadParts(options);
    this.#parts = parts;
    const ready: Ready = (caller) => this.#ready(caller);
    const called = { ...parts, ready };
    this.feed = parts.feed;
    this.crons = new ThreadCrons({ ...called, ...options.crons });
    this.hooks = new ThreadHooks(called);
    this.keys = new KeptAnswers(called);
    this.lifeCycle = new ThreadLifeCycle({ ...called, onImported: () => parts.waits.onTimer() });
    const values = (run: NamedRun): Promise<Bytes> =>
      parts.ends.answer(run, (_, end, ended) => wireValues(end, ended), "state");
    this.runs = new ThreadRuns({ ...called, values });
  }

  invoke(start: StartRun): Promise<Reply<Bytes>> {
    return replying(async () => {
      const runId = await this.#accept({ ...start, isAwaited: true });
      return this.#parts.ends.answer({ ...start, runId }, wireAnswer);
    });
  }

  stream(start: StartRun, after?: string): Promise<Reply<RunEvents>> {
    return replying(async () => {
      const runId = await this.#accept(start);
      return this.#parts.readers.open({ ...start, runId, after }, start.request);
    });
  }

  readEvents(read: ReadEvents): Promise<Reply<RunEvents>> {
    return replying(async () => {
      await this.#ready(read);
      const { threadId, runId } = read;
      const { storage, readers } = this.#parts;
      if (storage.thread() === undefined) throw threadNotFound(threadId);
      if (storage.runs.get(runId) === undefined) throw runNotFound(threadId, runId);
      return readers.open(read);
    });
  }

  /** Answers with a socket that gets the events of all runs. */
  async listen(listen: Listen): Promise<Response> {
    // Whoever may not know of the thread hears nothing, whenever it comes to be.
    await this.#ready("anyone");
    return new Response(null, { status: 101, webSocket: this.feed.open(listen) });
  }

  getState(read: ReadState): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready(read);
      return jsonBytes(await this.#parts.states.state(read));
    });
  }

  getHistory(read: ReadHistory): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready(read);
      const { states, platform } = this.#parts;
      return jsonPage(states.history(read), (fault) => platform.report(fault));
    });
  }

  updateState(edit: EditState): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready(edit);
      const { storage, catalog, queue, announcer, waits, retention, environment, platform } = this.#parts;
      const thread = storage.thread();
      if (thread === undefined) throw threadNotFound(edit.threadId);
      const graph = catalog.ofThread(thread);
      if (queue.isBusy()) throw threadBusy(edit.threadId);
      return queue.lock.edit(async () => {
        const answer = await announcer.noting(() =>
          waits.watching(edit, () => editOnce(storage, environment, graph, edit, platform)),
        );
        storage.transaction(() => {
          retention.noteUse();
          waits.noteEdit();
          announcer.note();
        });
        return answer;
      });
    });
  }

  sendEvent(event: SendEvent): Promise<Reply<EventReceipt>> {
    return replying(async () => {
      await this.#ready(event);
      return this.#parts.waits.send(event);
    });
  }

  /** The alarm has fired. */
  async alarm(): Promise<void> {
    const { storage, transfer, timers, platform } = this.#parts;
    // Whoever recovers goes by what is stored alone.
    storage.forget();
    if (transfer.isImporting) return transfer.guard();
    const thread = storage.thread();
    if (thread?.deleting === 0) return timers.fire();
    // A deletion that could not be finished sets the alarm again.
    await this.#ready("anyone").catch((fault: unknown) => platform.report(fault));
  }

  /** Takes up what an earlier instance has left: a deletion, or runs. */
  async #ready(caller: ThreadAddress | "anyone"): Promise<void> {
    const { storage, transfer, announcer, queue, deletion } = this.#parts;
    transfer.requireIdle();
    const thread = storage.thread();
    if (thread === undefined) return;
    if (caller !== "anyone") requireAccess(thread, caller);
    announcer.onWake();
    if (thread.deleting === 0) return queue.wake();
    await deletion.finish(thread.thread_id);
    // Others have waited for it as well.
    return this.#ready(caller);
  }

  #accept(start: StartRun): Promise<string> {
    return this.#parts.admission.accept(start, (caller) => this.#ready(caller));
  }
}
