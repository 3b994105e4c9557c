import { tooManyRuns } from "../errors.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { NewRun, RunRow } from "./run-row.ts";
import type { AfterStop, RunStops } from "./run-stops.ts";
import type { MultitaskStrategy } from "./run-request.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { Timer } from "../timers/timers.ts";

/** Runs of a thread that are in the queue, and as many that wait for their time. */
const MAX_WAITING = 1000;

export interface EntranceParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly stops: RunStops;
}

/** Puts runs into the queue: at once, or when their time has come. What their strategy says happens then. */
export class RunEntrance {
  readonly #parts: EntranceParts;

  constructor(parts: EntranceParts) {
    this.#parts = parts;
  }

  /** Before a run is admitted that interrupts others. */
  told(): Promise<void> {
    const { stops, queue } = this.#parts;
    return stops.told(queue.first());
  }

  /** In a transaction, which is undone when there are too many. What is returned is to be called after it. */
  admit(run: NewRun): AfterStop {
    const { storage, queue } = this.#parts;
    if (run.startAt === undefined) {
      const claim = queue.claimNow();
      if (claim === undefined) storage.runs.insert(run);
      const begun = claim && storage.insertClaimed(run, claim);
      const after = this.#enter(run.id, run.multitask, begun);
      if (storage.queue.all().length > MAX_WAITING) throw tooManyRuns(MAX_WAITING);
      return after;
    }
    storage.runs.insert(run);
    storage.timers.set("run_start", run.id, run.startAt);
    if (storage.timers.count("run_start", MAX_WAITING + 1) > MAX_WAITING) throw tooManyRuns(MAX_WAITING);
    return () => undefined;
  }

  /** The time of a delayed run has come. */
  onTimer({ id }: Timer): void {
    const { storage, platform, queue } = this.#parts;
    const after = storage.transaction(() => {
      storage.timers.clear("run_start", id);
      const run = storage.runs.get(id);
      return run === undefined || run.endedAt !== undefined
        ? () => undefined
        : this.#enter(id, run.multitask);
    });
    platform.reached("run.start_due");
    after();
    queue.wake();
  }

  /** `begun`: the run, when it is entered already. */
  #enter(id: string, multitask: MultitaskStrategy, begun?: RunRow): AfterStop {
    const { queue, stops, storage } = this.#parts;
    const after =
      multitask === "interrupt" || multitask === "rollback" ? stops.cancelQueued(multitask) : () => undefined;
    queue.expect();
    storage.queue.enter(id);
    return () => {
      queue.accept(id, begun);
      after();
    };
  }
}
