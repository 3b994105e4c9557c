import { errorBody, TidemarkError } from "../errors.ts";
import { wireError } from "./wire-errors.ts";
import type { ThreadPlatform } from "./platform.ts";
import type { Reply } from "./call.ts";

/**
 * Stands in for a thread of a deployment that cannot read or write it, because a key is wrong. Nothing is touched, and the
 * alarm comes again, until a deployment can.
 */
export class UnusableThread {
  readonly #error: TidemarkError;
  readonly #platform: ThreadPlatform;

  constructor(error: TidemarkError, platform: ThreadPlatform) {
    this.#error = error;
    this.#platform = platform;
  }

  async refuse(): Promise<Extract<Reply<never>, { readonly ok: false }>> {
    return { ok: false, error: wireError(this.#error), isFailed: false };
  }

  async listen(): Promise<Response> {
    return Response.json(errorBody(wireError(this.#error)), { status: 503 });
  }

  async alarm(): Promise<void> {
    this.#platform.report(this.#error);
    this.#platform.setAlarm(this.#platform.now() + this.#platform.lease);
  }
}

/** What the configuration has made, or why it has not. */
export function configured<T>(make: () => T): T | TidemarkError {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof TidemarkError) return cause;
    const message =
      "The `serde` (or `placement`) that createRuntime was given throws. Correct it and deploy again: nothing is lost.";
    return new TidemarkError("invalid_serde", message, { cause });
  }
}
