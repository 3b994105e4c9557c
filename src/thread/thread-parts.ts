import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { Environment } from "../pregel/environment.ts";
import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import { Announcer } from "./announcing/announcer.ts";
import type { ThreadDirectory } from "./announcing/thread-directory.ts";
import { ThreadRecord } from "./announcing/thread-record.ts";
import { GraphRunner, type GraphRunnerOptions } from "./attempt/graph-runner.ts";
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

interface RunnerParts extends Pick<GraphRunnerOptions, "events" | "onLeave"> {
  readonly catalog: GraphCatalog;
  readonly states: StateReader;
}

export type ThreadParts = ReturnType<typeof threadParts>;

/** What a thread is made of, and how one part hears of another. */
export function threadParts(options: ThreadOptions) {
  const { storage, environment, platform } = options;
  const catalog = new GraphCatalog(options.graphs);
  const states = new StateReader(storage, catalog);
  const record = new ThreadRecord(storage, states);
  const announcer = new Announcer({ storage, platform, record, directory: options.directory });
  const events = EventLog.of(storage, platform, options.events);
  const feed = FeedSockets.of(storage, platform, events);
  const outbox = new Outbox({ storage, states, platform, options: options.outbox });
  /** Part of the transaction in which a run leaves the queue. */
  const onLeave = ({ id, timeLimit }: RunRow, standing: StandingAfter = "unknown"): void => {
    temporary.noteLeft();
    if (timeLimit !== undefined) storage.timers.clear("time_limit", id);
    events.leave(id);
    outbox.release(id);
    queue.noteLeft();
    waits.noteLeft(id, standing);
    retention.noteUse();
    announcer.note();
  };
  const runner = runnerOf(options, { catalog, states, events, onLeave });
  const queue = new RunQueue(storage, platform, new NotedRuns(runner, platform));
  const queued = { storage, environment, platform, catalog, states, announcer, outbox, runner, feed, queue };
  const ends = new RunEnds(queued);
  const readers = new EventReaders({ ...queued, log: events, ends, limits: options.events });
  const stops = new RunStops({ ...queued, onLeave });
  const entrance = new RunEntrance({ ...queued, stops });
  const transfer = new ThreadTransfer({
    ...queued,
    onMade: () => {
      retention.noteUse();
      announcer.note();
    },
  });
  const admission = new RunAdmission({
    ...queued,
    entrance,
    transfer,
    onTemporary: () => temporary.begin(),
    onChange: (isAwaited) => announcer.note(!isAwaited),
    onMade: () => announcer.tellIfPossible(),
    reached: (point) => platform.reached(point),
  });
  const admitted = { ...queued, admission };
  const crons = new CronStarts({ ...admitted, ...options.crons });
  const deletion = new ThreadDeletion({ ...admitted, crons });
  const retention = new RetentionKeeper({ ...admitted, deletion, retention: options.retention });
  const temporary = new TemporaryThread({ ...admitted, deletion });
  const waits = new WaitKeeper(admitted);
  const timed = { ...queued, retention, temporary, entrance, stops, waits, crons };
  const timers = new TimerDispatch(storage, platform, timerHandlers(timed));
  return { ...admitted, record, events, ends, readers, stops, transfer, deletion, retention, waits, timers };
}

function runnerOf(
  { storage, platform, environment, directory, traces }: ThreadOptions,
  { catalog, states, ...parts }: RunnerParts,
): GraphRunner {
  const threadId = (): string => storage.thread()?.thread_id ?? "";
  let store: BaseStore | undefined;
  return new GraphRunner({
    storage,
    environment,
    threadId,
    // All threads that an object ever has are one tenant's.
    store: () => (store ??= directory?.store(storage.thread()?.tenant ?? "")),
    graph: () => catalog.require(storage.thread()?.graph ?? ""),
    isHeard: () => platform.sockets().length > 0,
    tracer: new RunTracer({ storage, platform, traces }),
    standing: () => states.standing(threadId()),
    reached: (point) => platform.reached(point),
    ...parts,
  });
}
