import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { Environment } from "../pregel/environment.ts";
import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import { type Ready, requireAccess } from "./access.ts";
import { Announcer, type ThreadDirectory } from "./announcing/announcer.ts";
import { runNotFound, threadBusy, threadEmpty, threadNotFound } from "./errors.ts";
import { jsonBytes, jsonPage } from "./answer-text.ts";
import { editOnce } from "./state/edit-state.ts";
import { EventLog } from "./events/event-log.ts";
import type { EventLimits } from "./events/event-limits.ts";
import { EventReaders } from "./events/event-readers.ts";
import { FeedSockets, type Listen } from "./feed/feed-sockets.ts";
import { GraphCatalog } from "./graph-catalog.ts";
import { GraphRunner } from "./attempt/graph-runner.ts";
import { KeptAnswers } from "./idempotency/kept-answers.ts";
import { Outbox } from "./outbox/outbox.ts";
import type { OutboxOptions } from "./outbox/outbox-options.ts";
import type { ThreadPlatform } from "./platform.ts";
import type { HooksApi } from "./answers/hook-protocol.ts";
import type { Bytes, Reply, ThreadAddress } from "./call.ts";
import type { ReadEvents, RunEvents } from "./events/event-protocol.ts";
import type { KeysApi } from "./idempotency/key-protocol.ts";
import type { StartRun } from "./runs/run-protocol.ts";
import type { EditState, ReadHistory, ReadState } from "./state/state-protocol.ts";
import type { EventReceipt, SendEvent } from "./waits/sent-event.ts";
import { replying } from "./replying.ts";
import { RunAdmission } from "./runs/run-admission.ts";
import { RunEnds } from "./runs/run-ends.ts";
import { RunEntrance } from "./runs/run-entrance.ts";
import type { RunRow } from "./runs/run-row.ts";
import { RunStops } from "./runs/run-stops.ts";
import { RunTracer } from "./attempt/run-tracer.ts";
import type { Retention } from "./life-cycle/retention.ts";
import { RetentionKeeper } from "./life-cycle/retention-keeper.ts";
import { NotedRuns } from "./queue/noted-runs.ts";
import { RunQueue } from "./queue/run-queue.ts";
import type { StandingAfter } from "./state/standing.ts";
import { StateReader } from "./state/state-reader.ts";
import { TemporaryThread } from "./life-cycle/temporary-thread.ts";
import { ThreadHooks } from "./answers/thread-hooks.ts";
import { ThreadDeletion } from "./life-cycle/thread-deletion.ts";
import { ThreadLifeCycle } from "./life-cycle/thread-life-cycle.ts";
import { ThreadRecord } from "./announcing/thread-record.ts";
import { type CronOptions, CronStarts } from "./crons/cron-starts.ts";
import { ThreadCrons } from "./crons/thread-crons.ts";
import { ThreadRuns } from "./runs/thread-runs.ts";
import type { ThreadStorage } from "./thread-storage.ts";
import { ThreadTransfer } from "./transfer/thread-transfer.ts";
import { TimerDispatch } from "./timers/timer-dispatch.ts";
import { timerHandlers } from "./timers/timer-handlers.ts";
import { WaitKeeper } from "./waits/wait-keeper.ts";
import type { Traces } from "./attempt/traces.ts";
import { wireAnswer, wireValues } from "./wire.ts";

export interface ThreadOptions {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly environment: Environment;
  readonly graphs: Readonly<Record<string, RunnableGraph>>;
  readonly retention: Retention;
  readonly crons: CronOptions;
  readonly directory?: ThreadDirectory | undefined;
  readonly events: EventLimits;
  readonly outbox: OutboxOptions;
  readonly traces: Traces | undefined;
}

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
  readonly #storage: ThreadStorage;
  readonly #environment: Environment;
  readonly #platform: ThreadPlatform;
  readonly #catalog: GraphCatalog;
  readonly #runner: GraphRunner;
  readonly #queue: RunQueue;
  readonly #states: StateReader;
  readonly #announcer: Announcer;
  readonly #ends: RunEnds;
  readonly #events: EventLog;
  readonly #readers: EventReaders;
  readonly #outbox: Outbox;
  readonly #transfer: ThreadTransfer;
  readonly #admission: RunAdmission;
  readonly #deletion: ThreadDeletion;
  readonly #retention: RetentionKeeper;
  readonly #temporary: TemporaryThread;
  readonly #waits: WaitKeeper;
  readonly #timers: TimerDispatch;

  constructor(options: ThreadOptions) {
    const { storage, environment, platform } = options;
    this.#storage = storage;
    this.#environment = environment;
    this.#platform = platform;
    this.#catalog = new GraphCatalog(options.graphs);
    this.#states = new StateReader(storage, this.#catalog);
    const record = new ThreadRecord(storage, this.#states);
    const { directory } = options;
    this.#announcer = new Announcer({ storage, platform, record, directory });
    this.#events = EventLog.of(storage, platform, options.events);
    this.feed = FeedSockets.of(storage, platform, this.#events);
    this.#runner = this.#runnerOf(options);
    this.#outbox = new Outbox({ storage, states: this.#states, platform, options: options.outbox });
    this.#queue = new RunQueue(storage, platform, new NotedRuns(this.#runner, platform));
    const queued = { storage, platform, queue: this.#queue };
    this.#ends = new RunEnds({ ...queued, states: this.#states });
    const { events: limits } = options;
    this.#readers = new EventReaders({ ...queued, log: this.#events, ends: this.#ends, limits });
    const stops = new RunStops({
      ...queued,
      runner: this.#runner,
      onLeave: (run) => this.#noteLeft(run, "unknown"),
    });
    const entrance = new RunEntrance({ ...queued, stops });
    this.#transfer = new ThreadTransfer({ ...options, catalog: this.#catalog, announcer: this.#announcer });
    this.#admission = new RunAdmission({
      storage,
      environment,
      catalog: this.#catalog,
      states: this.#states,
      queue: this.#queue,
      entrance,
      onTemporary: () => this.#temporary.begin(),
      onChange: (isAwaited) => this.#announcer.note(!isAwaited),
      onMade: () => this.#announcer.tellIfPossible(),
      outbox: this.#outbox,
      reached: (point) => platform.reached(point),
    });
    const parts = { ...queued, admission: this.#admission, runner: this.#runner, feed: this.feed };
    const ready: Ready = (caller) => this.#ready(caller);
    this.crons = new ThreadCrons({ ...queued, ...options.crons, ready });
    const starts = new CronStarts({ ...parts, ...options.crons });
    this.#deletion = new ThreadDeletion({ ...parts, announcer: this.#announcer, crons: starts });
    this.#retention = new RetentionKeeper({
      ...parts,
      deletion: this.#deletion,
      retention: options.retention,
    });
    this.#temporary = new TemporaryThread({ ...parts, states: this.#states, deletion: this.#deletion });
    this.#waits = new WaitKeeper({ ...parts, environment, states: this.#states });
    const timed = { announcer: this.#announcer, retention: this.#retention, temporary: this.#temporary };
    const others = { entrance, stops, outbox: this.#outbox, waits: this.#waits, crons: starts };
    this.#timers = new TimerDispatch(storage, platform, timerHandlers({ ...queued, ...timed, ...others }));
    this.hooks = new ThreadHooks({ ...parts, states: this.#states, ready });
    this.keys = new KeptAnswers({ storage, platform, ready });
    this.lifeCycle = this.#lifeCycleOf(record);
    this.runs = new ThreadRuns({
      ...parts,
      stops,
      ready,
      values: (run) => this.#ends.answer(run, (_, end, values) => wireValues(end, values), "state"),
    });
  }

  #runnerOf({ storage, platform, environment, directory, traces }: ThreadOptions): GraphRunner {
    const threadId = (): string => storage.thread()?.thread_id ?? "";
    let store: BaseStore | undefined;
    return new GraphRunner({
      storage,
      environment,
      threadId,
      // All threads that an object ever has are one tenant's.
      store: () => (store ??= directory?.store(storage.thread()?.tenant ?? "")),
      graph: () => this.#catalog.require(storage.thread()?.graph ?? ""),
      events: this.#events,
      isHeard: () => platform.sockets().length > 0,
      tracer: new RunTracer({ storage, platform, traces }),
      standing: () => this.#states.standing(threadId()),
      onLeave: (run, standing) => this.#noteLeft(run, standing),
      reached: (point) => platform.reached(point),
    });
  }

  #lifeCycleOf(record: ThreadRecord): ThreadLifeCycle {
    return new ThreadLifeCycle({
      storage: this.#storage,
      platform: this.#platform,
      queue: this.#queue,
      admission: this.#admission,
      announcer: this.#announcer,
      record,
      events: this.#events,
      transfer: this.#transfer,
      retention: this.#retention,
      deletion: this.#deletion,
      ready: (caller) => this.#ready(caller),
      onImported: () => this.#waits.onTimer(),
    });
  }

  invoke(start: StartRun): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready(start);
      const runId = await this.#admit({ ...start, isAwaited: true });
      return this.#ends.answer({ ...start, runId }, wireAnswer);
    });
  }

  stream(start: StartRun, after?: string): Promise<Reply<RunEvents>> {
    return replying(async () => {
      await this.#ready(start);
      const runId = await this.#admit(start);
      return this.#readers.open({ ...start, runId, after }, start.request);
    });
  }

  readEvents(read: ReadEvents): Promise<Reply<RunEvents>> {
    return replying(async () => {
      await this.#ready(read);
      const { threadId, runId } = read;
      if (this.#storage.thread() === undefined) throw threadNotFound(threadId);
      if (this.#storage.runs.get(runId) === undefined) throw runNotFound(threadId, runId);
      return this.#readers.open(read);
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
      return jsonBytes(await this.#states.state(read));
    });
  }

  getHistory(read: ReadHistory): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready(read);
      return jsonPage(this.#states.history(read), (fault) => this.#platform.report(fault));
    });
  }

  updateState(edit: EditState): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#ready(edit);
      const thread = this.#storage.thread();
      if (thread === undefined) throw threadNotFound(edit.threadId);
      if (thread.graph === "") throw threadEmpty(edit.threadId);
      const graph = this.#catalog.require(thread.graph);
      if (this.#queue.isBusy()) throw threadBusy(edit.threadId);
      return this.#queue.lock.edit(async () => {
        const answer = await this.#announcer.noting(() =>
          this.#waits.watching(edit, () =>
            editOnce(this.#storage, this.#environment, graph, edit, this.#platform),
          ),
        );
        this.#storage.transaction(() => {
          this.#retention.noteUse();
          this.#waits.noteEdit();
          this.#announcer.note();
        });
        return answer;
      });
    });
  }

  sendEvent(event: SendEvent): Promise<Reply<EventReceipt>> {
    return replying(async () => {
      await this.#ready(event);
      return this.#waits.send(event);
    });
  }

  /** The alarm has fired. */
  async alarm(): Promise<void> {
    // Whoever recovers goes by what is stored alone.
    this.#storage.forget();
    if (this.#transfer.isImporting) return this.#transfer.guard();
    const thread = this.#storage.thread();
    if (thread?.deleting === 0) return this.#timers.fire();
    // A deletion that could not be finished sets the alarm again.
    await this.#ready("anyone").catch((fault: unknown) => this.#platform.report(fault));
  }

  /** Takes up what an earlier instance has left: a deletion, or runs. */
  async #ready(caller: ThreadAddress | "anyone"): Promise<void> {
    this.#transfer.requireIdle();
    const thread = this.#storage.thread();
    if (thread === undefined) return;
    if (caller !== "anyone") requireAccess(thread, caller);
    this.#announcer.onWake();
    if (thread.deleting === 0) return this.#queue.wake();
    await this.#deletion.finish(thread.thread_id);
    this.#transfer.requireIdle();
  }

  /** Takes the run in; answers with the id of the run that the call is about. */
  async #admit(start: StartRun): Promise<string> {
    let admitted = start.runId;
    await this.#admission.admit(start, (runId) => (admitted = runId));
    return admitted;
  }

  /** Part of the transaction in which a run leaves the queue. */
  #noteLeft({ id, timeLimit }: RunRow, standing: StandingAfter): void {
    this.#temporary.noteLeft();
    if (timeLimit !== undefined) this.#storage.timers.clear("time_limit", id);
    this.#events.leave(id);
    this.#outbox.release(id);
    this.#queue.noteLeft();
    this.#waits.noteLeft(id, standing);
    this.#retention.noteUse();
    this.#announcer.note();
  }
}
