import { LONGEST_BACKOFF } from "../../backoff.ts";
import { isPlatformReset } from "../errors.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { Timer, TimerKind } from "./timers.ts";

/**
 * Does what the timer was set for, or sets about it, and removes the timer or gives it another time, both in one
 * transaction: an alarm that comes twice does nothing twice. A timer that is left as it is comes again after a lease,
 * and then less and less often.
 */
export type TimerHandler = (timer: Timer) => Promise<void> | void;

export type TimerHandlers = Readonly<Record<TimerKind, TimerHandler>>;

/** Hands each timer that is due to the handler of its kind, one after the other. */
export class TimerDispatch {
  readonly #storage: ThreadStorage;
  readonly #platform: ThreadPlatform;
  readonly #handlers: TimerHandlers;

  constructor(storage: ThreadStorage, platform: ThreadPlatform, handlers: TimerHandlers) {
    this.#storage = storage;
    this.#platform = platform;
    this.#handlers = handlers;
  }

  /** The alarm of a thread that is there has fired. It is set ahead first: what is stopped underway is taken up. */
  async fire(): Promise<void> {
    const { timers } = this.#storage;
    timers.hold(this.#platform.now() + this.#platform.lease);
    this.#platform.reached("timer.held");
    for (const timer of timers.due(this.#platform.now())) {
      if (!this.#isDue(timer)) continue;
      this.#platform.log.note("debug", "timer.due", { kind: timer.kind, id: timer.id, due: timer.due });
      await this.#handle(timer);
      if (this.#isDue(timer)) this.#repeat(timer);
    }
    // A deletion that has begun meanwhile has an alarm of its own.
    if (this.#storage.thread()?.deleting === 0) timers.release();
  }

  /** Whether what came before has left it, and the thread. */
  #isDue({ kind, id, due }: Timer): boolean {
    const { timers } = this.#storage;
    return this.#storage.thread()?.deleting === 0 && timers.dueTime(kind, id) === due;
  }

  async #handle(timer: Timer): Promise<void> {
    try {
      await this.#handlers[timer.kind](timer);
    } catch (fault) {
      // The next instance goes on, by the alarm that is set.
      if (isPlatformReset(fault)) throw fault;
      this.#platform.report(fault, { timer: timer.kind });
    }
  }

  #repeat(timer: Timer): void {
    const { timers } = this.#storage;
    const delays = { first: this.#platform.lease, longest: LONGEST_BACKOFF };
    this.#storage.transaction(() => timers.putOff(timer, this.#platform.now(), delays));
  }
}
