import { jsonBytes } from "./answer-text.ts";
import { decode, encode } from "../checkpoint/encoding.ts";
import { RefusedError } from "../errors.ts";
import type { CronRow } from "./cron-rows.ts";
import { cronNotFound, cronTooLarge, threadNotFound, tooManyCrons } from "./errors.ts";
import type { ThreadPlatform } from "./platform.ts";
import type { Bytes, CreateCron, CronsApi, NamedCron, Reply, RunRequest, ThreadAddress } from "./protocol.ts";
import { replying } from "./replying.ts";
import type { RunAdmission } from "./run-admission.ts";
import { nextOf, type NextTime } from "./schedules.ts";
import type { ThreadStorage } from "./thread-storage.ts";
import type { Timer } from "./timers.ts";

const MAX_CRONS = 100;
/** In bytes, as it is stored: in the row. */
const MAX_REQUEST = 256 * 1024;

export interface CronParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly admission: RunAdmission;
  readonly nextTime: NextTime | undefined;
  /** Takes up what an earlier instance has left, before anything else is done. */
  readonly ready: () => Promise<void>;
}

/** Another call of the alarm has been faster, or the cron was deleted. */
class AlreadyStartedError extends Error {}

/** Runs that come by the clock. What was missed, for whatever reason and however often, is made up for by one run. */
export class ThreadCrons implements CronsApi {
  readonly #parts: CronParts;

  constructor(parts: CronParts) {
    this.#parts = parts;
  }

  createCron(create: CreateCron): Promise<Reply<Bytes>> {
    const { storage, platform, nextTime, ready } = this.#parts;
    return replying(async () => {
      await ready();
      this.#requireThread(create);
      const { cronId: id, schedule, timezone, enabled, endAt } = create;
      const request = await encode(storage.serde, create.request);
      if (request.data.byteLength > MAX_REQUEST) throw cronTooLarge(request.data.byteLength, MAX_REQUEST);
      const createdAt = platform.now();
      const next = nextOf(nextTime, create, createdAt);
      const cron: CronRow = {
        id,
        schedule,
        timezone,
        enabled,
        request,
        createdAt,
        endAt,
        nextAt: enabled ? next : undefined,
        lastRun: undefined,
        lastError: undefined,
      };
      storage.transaction(() => {
        this.#requireThread(create);
        if (storage.crons.get(id) !== undefined) return;
        if (storage.crons.all().length >= MAX_CRONS) throw tooManyCrons(MAX_CRONS);
        storage.crons.insert(cron);
        this.#setTimer(id, cron.nextAt);
      });
      return jsonBytes(await this.#told(create, storage.crons.get(id) ?? cron));
    });
  }

  listCrons(address: ThreadAddress): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#parts.ready();
      this.#requireThread(address);
      const crons = this.#parts.storage.crons.all().map((cron) => this.#told(address, cron));
      return jsonBytes(await Promise.all(crons));
    });
  }

  deleteCron({ cronId, ...address }: NamedCron): Promise<Reply<null>> {
    const { storage, ready } = this.#parts;
    return replying(async () => {
      await ready();
      this.#requireThread(address);
      storage.transaction(() => {
        if (storage.crons.get(cronId) === undefined) throw cronNotFound(address.threadId, cronId);
        storage.crons.remove(cronId);
        this.#setTimer(cronId, undefined);
      });
      return null;
    });
  }

  /** The time of a run has come, or has passed a while ago. */
  async onTimer({ id }: Timer): Promise<void> {
    const { storage, platform, nextTime } = this.#parts;
    const cron = storage.crons.get(id);
    const thread = storage.thread();
    if (cron === undefined || thread === undefined) {
      return storage.transaction(() => this.#setTimer(id, undefined));
    }
    const next = nextOf(nextTime, cron, platform.now());
    try {
      await this.#start(cron, next);
      platform.reached("cron.started");
    } catch (error) {
      if (error instanceof AlreadyStartedError) return;
      if (!(error instanceof RefusedError)) throw error;
      storage.transaction(() => this.#advance(id, next, { error: error.code }));
    }
  }

  async #start(cron: CronRow, next: number | undefined): Promise<void> {
    const { storage, admission } = this.#parts;
    const thread = storage.thread();
    if (thread === undefined) return;
    const runId = storage.randomId();
    const { tenant, thread_id: threadId } = thread;
    const request = await this.#requestOf(cron);
    const start = { tenant, threadId, runId, request, isAcknowledged: true };
    const onAdmitted = (): void => {
      if (storage.crons.get(cron.id)?.nextAt !== cron.nextAt) throw new AlreadyStartedError();
      this.#advance(cron.id, next, { run: runId });
    };
    await admission.admit(start, onAdmitted);
  }

  /** In a transaction. */
  #advance(
    id: string,
    next: number | undefined,
    last: Parameters<ThreadStorage["crons"]["advance"]>[2],
  ): void {
    this.#parts.storage.crons.advance(id, next, last);
    this.#setTimer(id, next);
  }

  #setTimer(id: string, due: number | undefined): void {
    const { timers } = this.#parts.storage;
    if (due === undefined) timers.clear("cron", id);
    else timers.set("cron", id, due);
  }

  #requireThread({ threadId }: ThreadAddress): void {
    if (this.#parts.storage.thread() === undefined) throw threadNotFound(threadId);
  }

  async #requestOf({ request }: CronRow): Promise<RunRequest> {
    // What a router sent and this object stored, in the shape that it was parsed into.
    return (await decode(this.#parts.storage.serde, request)) as RunRequest;
  }

  /** In the words of LangGraph's platform, with keys of our own: what became of the last run. */
  async #told({ threadId }: ThreadAddress, cron: CronRow): Promise<unknown> {
    const { graph, input, config } = await this.#requestOf(cron);
    return {
      cron_id: cron.id,
      assistant_id: graph ?? this.#parts.storage.thread()?.graph ?? null,
      thread_id: threadId,
      schedule: cron.schedule,
      timezone: cron.timezone,
      enabled: cron.enabled,
      created_at: time(cron.createdAt),
      updated_at: time(cron.createdAt),
      end_time: time(cron.endAt),
      next_run_date: time(cron.nextAt),
      payload: { input: input.kind === "input" ? input.value : null },
      metadata: config.metadata ?? {},
      last_run_id: cron.lastRun ?? null,
      last_error: cron.lastError ?? null,
    };
  }
}

function time(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
