import { errorBody, TidemarkError } from "../errors.ts";
import { wireError } from "./errors.ts";
import type { ThreadPlatform } from "./platform.ts";
import type { CronsApi } from "./cron-protocol.ts";
import type { HooksApi, Reply, LifeCycleApi, RunsApi, ThreadApi } from "./protocol.ts";

type Refused = Extract<Reply<never>, { readonly ok: false }>;

/**
 * Stands in for a thread of a deployment that cannot read or write it, because a key is wrong: every call is told so.
 * Nothing is touched, and the alarm comes again, until a deployment can.
 */
export class UnusableThread implements ThreadApi {
  readonly #error: TidemarkError;
  readonly #platform: ThreadPlatform;

  constructor(error: TidemarkError, platform: ThreadPlatform) {
    this.#error = error;
    this.#platform = platform;
  }

  readonly invoke = (): Promise<Refused> => this.#refuse();
  readonly stream = (): Promise<Refused> => this.#refuse();
  readonly readEvents = (): Promise<Refused> => this.#refuse();
  readonly startRun = (): Promise<Refused> => this.#refuse();
  readonly acceptRun = (): Promise<Refused> => this.#refuse();
  readonly getRun = (): Promise<Refused> => this.#refuse();
  readonly listRuns = (): Promise<Refused> => this.#refuse();
  readonly listGraphs = (): Promise<Refused> => this.#refuse();
  readonly joinRun = (): Promise<Refused> => this.#refuse();
  readonly cancelRun = (): Promise<Refused> => this.#refuse();
  readonly deleteRun = (): Promise<Refused> => this.#refuse();
  readonly runs: RunsApi = this;
  readonly feed = { acknowledge: () => undefined };
  readonly listen = async (): Promise<Response> =>
    Response.json(errorBody(wireError(this.#error)), { status: 503 });
  readonly lifeCycle: LifeCycleApi = this;
  readonly readHook = (): Promise<Refused> => this.#refuse();
  readonly answerHook = (): Promise<Refused> => this.#refuse();
  readonly listDeliveries = (): Promise<Refused> => this.#refuse();
  readonly hooks: HooksApi = this;
  readonly getState = (): Promise<Refused> => this.#refuse();
  readonly getHistory = (): Promise<Refused> => this.#refuse();
  readonly createThread = (): Promise<Refused> => this.#refuse();
  readonly getThread = (): Promise<Refused> => this.#refuse();
  readonly getUsage = (): Promise<Refused> => this.#refuse();
  readonly patchThread = (): Promise<Refused> => this.#refuse();
  readonly updateState = (): Promise<Refused> => this.#refuse();
  readonly sendEvent = (): Promise<Refused> => this.#refuse();
  readonly createCron = (): Promise<Refused> => this.#refuse();
  readonly patchCron = (): Promise<Refused> => this.#refuse();
  readonly listCrons = (): Promise<Refused> => this.#refuse();
  readonly deleteCron = (): Promise<Refused> => this.#refuse();
  readonly crons: CronsApi = this;
  readonly announceThread = (): Promise<Refused> => this.#refuse();
  readonly deleteThread = (): Promise<Refused> => this.#refuse();
  readonly pruneThread = (): Promise<Refused> => this.#refuse();
  readonly exportThread = (): Promise<Refused> => this.#refuse();
  readonly importThread = (): Promise<Refused> => this.#refuse();

  async alarm(): Promise<void> {
    this.#platform.report(this.#error);
    this.#platform.setAlarm(this.#platform.now() + this.#platform.lease);
  }

  #refuse(): Promise<Refused> {
    return Promise.resolve({ ok: false, error: wireError(this.#error), isFailed: false });
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
