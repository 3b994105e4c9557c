import type { Ready } from "../access.ts";
import { jsonBytes } from "../answer-text.ts";
import { callerConfigurable, withoutCaller } from "../../caller-configurable.ts";
import { decode, type Encoded, encode } from "../../checkpoint/encoding.ts";
import { contains } from "../../contains.ts";
import { RefusedError, TidemarkError } from "../../errors.ts";
import { plainJson } from "../../json.ts";
import type { CronRow, CronTerms, LastRun } from "./cron-rows.ts";
import { type CallThread, CronThreadStarts } from "./cron-thread-starts.ts";
import { cronNotFound, cronTooLarge, threadNotFound, tooManyCrons } from "../errors.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { Bytes, Reply, ThreadAddress } from "../call.ts";
import type { CreateCron, CronsApi, ListCrons, NamedCron, PatchCron } from "./cron-protocol.ts";
import type { RunRequest } from "../runs/run-request.ts";
import { replying } from "../replying.ts";
import type { RunAdmission } from "../runs/run-admission.ts";
import { nextOf, type NextTime } from "./schedules.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { Timer } from "../timers/timers.ts";
import { wireCron } from "./wire-cron.ts";

const MAX_CRONS = 100;
/** In bytes, as it is stored: in the row. */
const MAX_REQUEST = 256 * 1024;

export interface CronOptions {
  /** Reads schedules; undefined: there are no crons. */
  readonly nextTime: NextTime | undefined;
  /** For runs in threads of their own. */
  readonly callThread: CallThread;
}

export interface CronParts extends CronOptions {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly admission: RunAdmission;
  readonly ready: Ready;
}

/** Another call of the alarm has been faster, or the cron was deleted. */
class AlreadyStartedError extends Error {}

/**
 * Runs that come by the clock: of the thread itself, or each in a thread of its own. What was missed, for whatever reason and
 * however often, is made up for by one run.
 */
export class ThreadCrons implements CronsApi {
  readonly #parts: CronParts;
  readonly #threadStarts: CronThreadStarts;
  /** Starts of runs in threads of their own. */
  readonly #starting = new Set<Promise<void>>();

  constructor(parts: CronParts) {
    this.#parts = parts;
    this.#threadStarts = new CronThreadStarts(parts);
  }

  createCron(create: CreateCron): Promise<Reply<Bytes>> {
    const { storage, platform, nextTime, ready } = this.#parts;
    return replying(async () => {
      await ready(create);
      if (create.threads === undefined) this.#requireThread(create);
      const request = await this.#encoded(create.request);
      const createdAt = platform.now();
      const cron: CronRow = {
        id: create.cronId,
        assistant: create.assistant,
        threads: create.threads,
        schedule: create.schedule,
        timezone: create.timezone,
        enabled: create.enabled,
        request,
        createdAt,
        updatedAt: createdAt,
        endAt: create.endAt,
        nextAt: nextOfEnabled(nextTime, create, createdAt),
        firingAt: undefined,
        lastRun: undefined,
        lastError: undefined,
      };
      storage.transaction(() => this.#insert(create, cron));
      return jsonBytes(await this.#told(storage.crons.get(cron.id) ?? cron));
    });
  }

  patchCron(patch: PatchCron): Promise<Reply<Bytes>> {
    const { storage, ready } = this.#parts;
    return replying(async () => {
      await ready(patch);
      await this.#requireAccess(patch);
      for (;;) {
        const cron = this.#find(patch);
        const request = await this.#encoded(patched(await this.#requestOf(cron), patch));
        const isPatched = storage.transaction(() => {
          const current = this.#find(patch);
          // Another patch has been faster.
          if (current.updatedAt !== cron.updatedAt) return false;
          this.#update(current, patch, request);
          return true;
        });
        if (isPatched) return jsonBytes(await this.#told(this.#find(patch)));
      }
    });
  }

  listCrons(list: ListCrons): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#parts.ready(list);
      this.#requireThread(list);
      const told: unknown[] = [];
      for (const cron of this.#parts.storage.crons.all()) {
        if (await this.#mayAccess(cron, list)) told.push(await this.#told(cron));
      }
      return jsonBytes(told);
    });
  }

  getCron(named: NamedCron): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#parts.ready(named);
      await this.#requireAccess(named);
      return jsonBytes(await this.#told(this.#find(named)));
    });
  }

  deleteCron(named: NamedCron): Promise<Reply<null>> {
    const { storage, ready } = this.#parts;
    return replying(async () => {
      await ready(named);
      await this.#requireAccess(named);
      storage.transaction(() => {
        const { id } = this.#find(named);
        storage.crons.remove(id);
        this.#setTimer(id, undefined);
      });
      return null;
    });
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
      return storage.transaction(() => this.#setTimer(id, undefined));
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
    const request = await this.#requestOf(cron);
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
    this.#setTimer(id, next);
  }

  #noteError(id: string, code: string): void {
    const { storage } = this.#parts;
    if (storage.thread()?.deleting === 0) storage.transaction(() => storage.crons.noteError(id, code));
  }

  /** In a transaction. */
  #insert(create: CreateCron, cron: CronRow): void {
    const { storage } = this.#parts;
    if (create.threads === undefined) this.#requireThread(create);
    else if (storage.thread() === undefined) {
      const { tenant, threadId } = create;
      storage.create({ tenant, thread_id: threadId, graph: "", created_at: cron.createdAt, metadata: {} });
    }
    if (storage.crons.get(cron.id) !== undefined) return;
    if (storage.crons.count() >= MAX_CRONS) throw tooManyCrons(MAX_CRONS);
    storage.crons.insert(cron);
    this.#setTimer(cron.id, cron.nextAt);
  }

  /** In a transaction. A run that is on its way comes, and the one after it as it is said now. */
  #update(cron: CronRow, patch: PatchCron, request: Encoded): void {
    const { storage, platform, nextTime } = this.#parts;
    const now = platform.now();
    const { schedule = cron.schedule, timezone = cron.timezone, enabled = cron.enabled } = patch;
    const endAt = patch.endAt === undefined ? cron.endAt : (patch.endAt ?? undefined);
    const times = { schedule, timezone, enabled, endAt };
    const isSame =
      schedule === cron.schedule &&
      timezone === cron.timezone &&
      enabled === cron.enabled &&
      endAt === cron.endAt;
    const next = isSame ? cron.nextAt : nextOfEnabled(nextTime, times, now);
    const nextAt = cron.firingAt === undefined ? next : cron.nextAt;
    const terms: CronTerms = { ...times, request, nextAt, updatedAt: Math.max(now, cron.updatedAt + 1) };
    storage.crons.update(cron.id, terms);
    if (nextAt !== cron.nextAt) this.#setTimer(cron.id, nextAt);
  }

  #setTimer(id: string, due: number | undefined): void {
    const { timers } = this.#parts.storage;
    if (due === undefined) timers.clear("cron", id);
    else timers.set("cron", id, due);
  }

  #requireThread({ threadId }: ThreadAddress): void {
    if (this.#parts.storage.thread() === undefined) throw threadNotFound(threadId);
  }

  #find({ cronId }: NamedCron): CronRow {
    const { storage } = this.#parts;
    const cron = storage.thread() && storage.crons.get(cronId);
    if (cron === undefined) throw cronNotFound(cronId);
    return cron;
  }

  async #requireAccess(named: NamedCron): Promise<void> {
    if (!(await this.#mayAccess(this.#find(named), named))) throw cronNotFound(named.cronId);
  }

  async #mayAccess(cron: CronRow, { cronAccess }: ListCrons): Promise<boolean> {
    if (cronAccess === undefined) return true;
    const { config } = await this.#requestOf(cron);
    return contains(plainJson(config.metadata ?? {}), cronAccess);
  }

  async #encoded(request: RunRequest): Promise<Encoded> {
    const encoded = await encode(this.#parts.storage.serde, request);
    if (encoded.data.byteLength > MAX_REQUEST) throw cronTooLarge(encoded.data.byteLength, MAX_REQUEST);
    return encoded;
  }

  async #requestOf({ request }: CronRow): Promise<RunRequest> {
    // What a router sent and this object stored, in the shape that it was parsed into.
    return (await decode(this.#parts.storage.serde, request)) as RunRequest;
  }

  async #told(cron: CronRow): Promise<unknown> {
    return wireCron(cron, await this.#requestOf(cron), this.#parts.storage.thread());
  }
}

/** Undefined for one that is switched off; its schedule has to be one nevertheless. */
function nextOfEnabled(
  nextTime: NextTime | undefined,
  cron: Pick<CronTerms, "schedule" | "timezone" | "enabled" | "endAt">,
  after: number,
): number | undefined {
  const next = nextOf(nextTime, cron, after);
  return cron.enabled ? next : undefined;
}

function patched(
  request: RunRequest,
  { request: changes, metadata, callerConfigurable: ofCaller }: PatchCron,
): RunRequest {
  const { metadata: before, callerKeys } = request.config;
  const { metadata: _, ...wanted } = changes.config ?? request.config;
  const said = changes.config?.configurable ?? withoutCaller(wanted.configurable, callerKeys);
  const kept = metadata ?? before;
  return {
    ...request,
    ...changes,
    config: {
      ...wanted,
      ...(ofCaller && {
        configurable: callerConfigurable(said, ofCaller),
        callerKeys: Object.keys(ofCaller),
      }),
      ...(kept !== undefined && { metadata: kept }),
    },
  };
}
