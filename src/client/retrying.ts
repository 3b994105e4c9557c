import { TidemarkClientError } from "./client-error.ts";

/** Time and chance, which tests set. */
export interface ClientEnvironment {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** No longer than until the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Of a call. */
  readonly newKey: () => string;
}

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;

/** Decides whether to try once more, for so long after the first failure in a row. */
export class Retrying {
  readonly #environment: ClientEnvironment;
  readonly #patience: number;
  readonly #signal: AbortSignal | undefined;
  #attempts = 0;
  /** When it has failed first, since something came. */
  #since: number | undefined;

  /** `patience`: in milliseconds. */
  constructor(environment: ClientEnvironment, patience: number, signal: AbortSignal | undefined) {
    this.#environment = environment;
    this.#patience = patience;
    this.#signal = signal;
  }

  /** Something has come: what fails after it fails anew. */
  succeeded(): void {
    this.#attempts = 0;
    this.heard();
  }

  /** Somebody is there, whether or not they have something to say. */
  heard(): void {
    this.#since = undefined;
  }

  /** Waits before the next attempt, longer each time; throws what failed when that is no use. */
  async pause(failure: unknown): Promise<void> {
    this.#signal?.throwIfAborted();
    const { now, random, sleep } = this.#environment;
    this.#since ??= now();
    if (!isPassing(failure) || now() - this.#since > this.#patience) throw failure;
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#attempts);
    this.#attempts += 1;
    await sleep(pause * (0.5 + random() / 2), this.#signal);
    this.#signal?.throwIfAborted();
  }
}

/** Codes of what may be over a moment later: nobody has answered, or something between us and the server; or this very call goes on. */
const PASSING: ReadonlySet<string> = new Set([
  "unreachable",
  "silent",
  "server_error",
  "idempotency_key_in_use",
]);

function isPassing(failure: unknown): boolean {
  if (!(failure instanceof TidemarkClientError)) return false;
  const { code, status } = failure;
  return PASSING.has(code) || status === 429 || status === 502 || status === 503;
}
