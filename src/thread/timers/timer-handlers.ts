import type { Announcer } from "../announcing/announcer.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { RetentionKeeper } from "../life-cycle/retention-keeper.ts";
import type { RunEntrance } from "../runs/run-entrance.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { RunStops } from "../runs/run-stops.ts";
import type { TemporaryThread } from "../life-cycle/temporary-thread.ts";
import type { CronStarts } from "../crons/cron-starts.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { TimerHandlers } from "./timer-dispatch.ts";
import type { WaitKeeper } from "../waits/wait-keeper.ts";

export interface TimedParts {
  readonly storage: ThreadStorage;
  readonly announcer: Announcer;
  readonly queue: RunQueue;
  readonly retention: RetentionKeeper;
  readonly temporary: TemporaryThread;
  readonly entrance: RunEntrance;
  readonly stops: RunStops;
  readonly outbox: Outbox;
  readonly waits: WaitKeeper;
  readonly crons: CronStarts;
}

/** What is done when the time of something comes. */
export function timerHandlers({ storage, ...parts }: TimedParts): TimerHandlers {
  const { announcer, queue, retention, temporary, entrance, stops, outbox, waits, crons } = parts;
  return {
    announcement: () => announcer.onTimer(),
    queue: () => queue.onTimer(),
    retention: () => retention.onTimer(),
    removal: () => temporary.onTimer(),
    run_start: (timer) => entrance.told().then(() => entrance.onTimer(timer)),
    time_limit: (timer) => stops.told(timer.id).then(() => stops.onTimer(timer)),
    delivery: (timer) => outbox.onTimer(timer),
    event_log: ({ id }) => storage.transaction(() => storage.removeEvents(id)),
    wait: () => waits.onTimer(),
    cron: (timer) => crons.onTimer(timer),
  };
}
