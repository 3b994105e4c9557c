import { RefusedError, TidemarkError } from "../../errors.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { RunAdmission } from "../runs/run-admission.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { Timer } from "../timers/timers.ts";
import { requestOf } from "./cron-request.ts";
import type { CronRow, LastRun } from "./cron-rows.ts";
import { type CallThread, CronThreadStarts } from "./cron-thread-starts.ts";
import { nextOfEnabled, setCronTimer } from "./cron-times.ts";
import type { NextTime } from "./schedules.ts";

export interface CronOptions {
  /** Reads schedules; undefined: there are no crons. */
  readonly nextTime: NextTime | undefined;
  /** For runs in threads of their own. */
  readonly callThread: CallThread;
}

export interface CronStartsParts extends CronOptions {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly admission: RunAdmission;
}

/** Another call of the alarm has been faster, or the cron was deleted. */
class AlreadyStartedError extends Error {}

/**
 * Starts the runs that come by the clock: of the thread itself, or each in a thread of its own. What was missed, for whatever
 * reason and however often, is made up for by one run.
 */
export class CronStarts {
  readonly #parts: CronStartsParts;
  readonly #threadStarts: CronThreadStarts;
  /** Starts of runs in threads of their own. */
  readonly #starting = new Set<Promise<void>>();

  constructor(parts: CronStartsParts) {
    this.#parts = parts;
    this.#threadStarts = new CronThreadStarts(parts);
  }

  /** Resolves when no start is under way. With the mark of deletion none begins, and one that is under way leaves no thread. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#starting);
  }

  /** The time of a run has come, or has passed a while ago. */
  async onTimer({ id }: Timer): Promise<void> {
    try {
      await this.#onTime(id);
    } catch (fault) {
      // It is tried again, maybe by another deployment. Until then the cron itself says why no run comes.
      if (fault instanceof TidemarkError) this.#noteError(id, fault.code);
      throw fault;
    }
  }

  async #onTime(id: string): Promise<void> {
    const { storage } = this.#parts;
    const cron = storage.crons.get(id);
    const at = cron?.firingAt ?? cron?.nextAt;
    if (cron === undefined || at === undefined) {
      return storage.transaction(() => setCronTimer(storage, id, undefined));
    }
    return cron.threads === undefined ? this.#start(cron) : this.#tracked(this.#startElsewhere(cron, at));
  }

  async #tracked(start: Promise<void>): Promise<void> {
    this.#starting.add(start);
    try {
      await start;
    } finally {
      this.#starting.delete(start);
    }
  }

  async #start(cron: CronRow): Promise<void> {
    const { storage, platform } = this.#parts;
    try {
      await this.#admit(cron);
      platform.reached("cron.started");
    } catch (error) {
      if (error instanceof AlreadyStartedError) return;
      // A schedule that cannot be read is no refusal of this run: it says nothing of the next one.
      if (!(error instanceof RefusedError) || error.code === "invalid_schedule") throw error;
      storage.transaction(() => this.#advance(cron.id, { error: error.code }));
    }
  }

  async #admit(cron: CronRow): Promise<void> {
    const { storage, admission } = this.#parts;
    const thread = storage.thread();
    if (thread === undefined) return;
    const runId = storage.randomId();
    const { tenant, thread_id: threadId } = thread;
    const request = await requestOf(storage.serde, cron);
    const start = { tenant, threadId, runId, request, isAcknowledged: true };
    const onAdmitted = (): void => {
      if (storage.crons.get(cron.id)?.nextAt !== cron.nextAt) throw new AlreadyStartedError();
      this.#advance(cron.id, { run: runId });
    };
    await admission.admit(start, onAdmitted);
  }

  async #startElsewhere(cron: CronRow, at: number): Promise<void> {
    const { storage } = this.#parts;
    const last = await this.#threadStarts.start(cron, at);
    if (last === undefined) return;
    storage.transaction(() => {
      const current = storage.crons.get(cron.id);
      if ((current?.firingAt ?? current?.nextAt) === at) this.#advance(cron.id, last);
    });
    if ("error" in last) await this.#threadStarts.remove(cron, at);
  }

  /** In a transaction. The schedule may have been changed while the run was on its way. */
  #advance(id: string, last: LastRun): void {
    const { storage, platform, nextTime } = this.#parts;
    const cron = storage.crons.get(id);
    if (cron === undefined) return;
    const next = nextOfEnabled(nextTime, cron, platform.now());
    storage.crons.advance(id, next, last);
    setCronTimer(storage, id, next);
  }

  #noteError(id: string, code: string): void {
    const { storage } = this.#parts;
    if (storage.thread()?.deleting === 0) storage.transaction(() => storage.crons.noteError(id, code));
  }
}
