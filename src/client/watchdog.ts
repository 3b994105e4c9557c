import { TidemarkClientError } from "./client-error.ts";

/** Ends a request from which nothing has come for so long: a server that is there sends a comment now and then. */
export class Watchdog {
  readonly #silence: number;
  readonly #silent = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly signal: AbortSignal;

  /** `silence`: in milliseconds. `signal`: of the caller. */
  constructor(silence: number, signal: AbortSignal | undefined) {
    this.#silence = silence;
    this.signal = signal ? AbortSignal.any([signal, this.#silent.signal]) : this.#silent.signal;
    this.heard();
  }

  heard(): void {
    this.hold();
    this.#timer = setTimeout(() => this.#silent.abort(), this.#silence);
  }

  /** Whoever reads takes their time. */
  hold(): void {
    clearTimeout(this.#timer);
  }

  /** Why the request has failed. */
  reason(failure: unknown): unknown {
    if (!this.#silent.signal.aborted) return failure;
    const message = `Nothing has come for ${this.#silence} ms.`;
    return new TidemarkClientError("silent", message, { cause: failure });
  }
}
