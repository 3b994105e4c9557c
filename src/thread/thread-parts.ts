import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { Environment } from "../pregel/environment.ts";
import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import { Announcer, type ThreadDirectory } from "./announcing/announcer.ts";
import { ThreadRecord } from "./announcing/thread-record.ts";
import { GraphRunner } from "./attempt/graph-runner.ts";
import { RunTracer } from "./attempt/run-tracer.ts";
import type { Traces } from "./attempt/traces.ts";
import { type CronOptions, CronStarts } from "./crons/cron-starts.ts";
import type { EventLimits } from "./events/event-limits.ts";
import { EventLog } from "./events/event-log.ts";
import { EventReaders } from "./events/event-readers.ts";
import { FeedSockets } from "./feed/feed-sockets.ts";
import { GraphCatalog } from "./graph-catalog.ts";
import type { Retention } from "./life-cycle/retention.ts";
import { RetentionKeeper } from "./life-cycle/retention-keeper.ts";
import { TemporaryThread } from "./life-cycle/temporary-thread.ts";
import { ThreadDeletion } from "./life-cycle/thread-deletion.ts";
import { Outbox } from "./outbox/outbox.ts";
import type { OutboxOptions } from "./outbox/outbox-options.ts";
import type { ThreadPlatform } from "./platform.ts";
import { NotedRuns } from "./queue/noted-runs.ts";
import { RunQueue } from "./queue/run-queue.ts";
import { RunAdmission } from "./runs/run-admission.ts";
import { RunEnds } from "./runs/run-ends.ts";
import { RunEntrance } from "./runs/run-entrance.ts";
import type { RunRow } from "./runs/run-row.ts";
import { RunStops } from "./runs/run-stops.ts";
import type { StandingAfter } from "./state/standing.ts";
import { StateReader } from "./state/state-reader.ts";
import type { ThreadStorage } from "./thread-storage.ts";
import { TimerDispatch } from "./timers/timer-dispatch.ts";
import { timerHandlers } from "./timers/timer-handlers.ts";
import { ThreadTransfer } from "./transfer/thread-transfer.ts";
import { WaitKeeper } from "./waits/wait-keeper.ts";

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

/** What a thread is made of, and how one part hears of another. */
export class ThreadParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly environment: Environment;
  readonly catalog: GraphCatalog;
  readonly states: StateReader;
  readonly record: ThreadRecord;
  readonly announcer: Announcer;
  readonly events: EventLog;
  readonly feed: FeedSockets;
  readonly runner: GraphRunner;
  readonly queue: RunQueue;
  readonly outbox: Outbox;
  readonly stops: RunStops;
  readonly ends: RunEnds;
  readonly readers: EventReaders;
  readonly admission: RunAdmission;
  readonly transfer: ThreadTransfer;
  readonly deletion: ThreadDeletion;
  readonly retention: RetentionKeeper;
  readonly temporary: TemporaryThread;
  readonly waits: WaitKeeper;
  readonly timers: TimerDispatch;

  constructor(options: ThreadOptions) {
    const { storage, environment, platform, directory } = options;
    this.storage = storage;
    this.environment = environment;
    this.platform = platform;
    this.catalog = new GraphCatalog(options.graphs);
    this.states = new StateReader(storage, this.catalog);
    this.record = new ThreadRecord(storage, this.states);
    this.announcer = new Announcer({ storage, platform, record: this.record, directory });
    this.events = EventLog.of(storage, platform, options.events);
    this.feed = FeedSockets.of(storage, platform, this.events);
    this.runner = this.#runnerOf(options);
    this.outbox = new Outbox({ storage, states: this.states, platform, options: options.outbox });
    this.queue = new RunQueue(storage, platform, new NotedRuns(this.runner, platform));
    const queued = { storage, platform, queue: this.queue };
    this.ends = new RunEnds({ ...queued, states: this.states });
    this.readers = new EventReaders({ ...queued, log: this.events, ends: this.ends, limits: options.events });
    const onLeave = (run: RunRow): void => this.#noteLeft(run, "unknown");
    this.stops = new RunStops({ ...queued, runner: this.runner, onLeave });
    const entrance = new RunEntrance({ ...queued, stops: this.stops });
    this.transfer = new ThreadTransfer({ ...options, catalog: this.catalog, announcer: this.announcer });
    this.admission = this.#admissionOf(entrance);
    const parts = { ...queued, admission: this.admission, runner: this.runner, feed: this.feed };
    const crons = new CronStarts({ ...parts, ...options.crons });
    this.deletion = new ThreadDeletion({ ...parts, announcer: this.announcer, crons });
    this.retention = new RetentionKeeper({ ...parts, deletion: this.deletion, retention: options.retention });
    this.temporary = new TemporaryThread({ ...parts, states: this.states, deletion: this.deletion });
    this.waits = new WaitKeeper({ ...parts, environment, states: this.states });
    const { announcer, retention, temporary, stops, outbox, waits } = this;
    const timed = { ...queued, announcer, retention, temporary, entrance, stops, outbox, waits, crons };
    this.timers = new TimerDispatch(storage, platform, timerHandlers(timed));
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
      graph: () => this.catalog.require(storage.thread()?.graph ?? ""),
      events: this.events,
      isHeard: () => platform.sockets().length > 0,
      tracer: new RunTracer({ storage, platform, traces }),
      standing: () => this.states.standing(threadId()),
      onLeave: (run, standing) => this.#noteLeft(run, standing),
      reached: (point) => platform.reached(point),
    });
  }

  #admissionOf(entrance: RunEntrance): RunAdmission {
    return new RunAdmission({
      storage: this.storage,
      environment: this.environment,
      catalog: this.catalog,
      states: this.states,
      queue: this.queue,
      entrance,
      onTemporary: () => this.temporary.begin(),
      onChange: (isAwaited) => this.announcer.note(!isAwaited),
      onMade: () => this.announcer.tellIfPossible(),
      outbox: this.outbox,
      reached: (point) => this.platform.reached(point),
    });
  }

  /** Part of the transaction in which a run leaves the queue. */
  #noteLeft({ id, timeLimit }: RunRow, standing: StandingAfter): void {
    this.temporary.noteLeft();
    if (timeLimit !== undefined) this.storage.timers.clear("time_limit", id);
    this.events.leave(id);
    this.outbox.release(id);
    this.queue.noteLeft();
    this.waits.noteLeft(id, standing);
    this.retention.noteUse();
    this.announcer.note();
  }
}
