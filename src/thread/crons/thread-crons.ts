import type { Ready } from "../access.ts";
import { jsonBytes } from "../answer-text.ts";
import { contains } from "../../values/contains.ts";
import type { Encoded } from "../../checkpoint/encoding.ts";
import { plainJson } from "../../json.ts";
import type { Bytes, Reply, ThreadAddress } from "../call.ts";
import { cronNotFound, tooManyCrons, threadNotFound } from "../errors.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { ThreadPlatform } from "../platform.ts";
import { replying } from "../replying.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { CreateCron, CronsApi, ListCrons, NamedCron, PatchCron } from "./cron-protocol.ts";
import { encodeRequest, patchedRequest, requestOf } from "./cron-request.ts";
import type { CronRow, CronTerms } from "./cron-rows.ts";
import { nextOfEnabled, setCronTimer } from "./cron-times.ts";
import type { NextTime } from "./schedules.ts";
import { wireCron } from "./wire-cron.ts";

const MAX_CRONS = 100;

export interface CronParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly nextTime: NextTime | undefined;
  readonly outbox: Pick<Outbox, "check">;
  readonly ready: Ready;
}

/** What callers say of crons, and are told. */
export class ThreadCrons implements CronsApi {
  readonly #parts: CronParts;

  constructor(parts: CronParts) {
    this.#parts = parts;
  }

  createCron(create: CreateCron): Promise<Reply<Bytes>> {
    const { storage, platform, nextTime, outbox, ready } = this.#parts;
    return replying(async () => {
      await ready(create);
      outbox.check(create.request);
      if (create.threads === undefined) this.#requireThread(create);
      const request = await encodeRequest(storage.serde, create.request);
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
    const { storage, outbox, ready } = this.#parts;
    const { serde } = storage;
    return replying(async () => {
      await ready(patch);
      await this.#requireAccess(patch);
      outbox.check(patch.request);
      for (;;) {
        const cron = this.#find(patch);
        const request = await encodeRequest(serde, patchedRequest(await requestOf(serde, cron), patch));
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
        setCronTimer(storage, id, undefined);
      });
      return null;
    });
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
    setCronTimer(storage, cron.id, cron.nextAt);
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
    // Whether it makes threads stays as it is.
    const threads = cron.threads && (patch.threads ?? cron.threads);
    const next = isSame ? cron.nextAt : nextOfEnabled(nextTime, times, now);
    const nextAt = cron.firingAt === undefined ? next : cron.nextAt;
    const terms: CronTerms = {
      ...times,
      threads,
      request,
      nextAt,
      updatedAt: Math.max(now, cron.updatedAt + 1),
    };
    storage.crons.update(cron.id, terms);
    if (nextAt !== cron.nextAt) setCronTimer(storage, cron.id, nextAt);
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
    const { config } = await requestOf(this.#parts.storage.serde, cron);
    return contains(plainJson(config.metadata ?? {}), cronAccess);
  }

  async #told(cron: CronRow): Promise<unknown> {
    const { storage } = this.#parts;
    return wireCron(cron, await requestOf(storage.serde, cron), storage.thread());
  }
}
