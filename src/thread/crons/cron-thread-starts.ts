import { discard } from "../../discard.ts";
import { uuid5 } from "../../uuid5.ts";
import type { WireError } from "../../errors.ts";
import { TidemarkError } from "../../errors.ts";
import { requestOf } from "./cron-request.ts";
import type { CronRow, LastRun } from "./cron-rows.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { Reply, ThreadAddress } from "../call.ts";
import type { ThreadApi } from "../protocol.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** Calls another thread, and calls it again when its object was reset underway. */
export type CallThread = <Value>(
  address: ThreadAddress,
  call: (thread: ThreadApi) => Promise<Reply<Value>>,
) => Promise<Reply<Value>>;

export interface CronThreadStartsParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly callThread: CallThread;
}

/** Of the ids of threads and runs. It must never change. */
const NAMESPACE = "6b0e5a0c-64c5-4f0a-9f59-0a6f5be3a7d1";

/** What is over by itself, or by another deployment: the run is not given up for it. */
const PASSING: ReadonlySet<string> = new Set([
  "blob_unavailable",
  "directory_unavailable",
  "encryption_key_missing",
  "invalid_serde",
  "run_pending",
]);

/**
 * Starts runs of crons in threads of their own. A thread is made first, and that it is there is stored before anything runs in
 * it. A start that is repeated, however late, finds the run, or does not find the thread any more: then the run has been.
 */
export class CronThreadStarts {
  readonly #parts: CronThreadStartsParts;

  constructor(parts: CronThreadStartsParts) {
    this.#parts = parts;
  }

  /** Undefined when another call of the alarm has been faster, or the cron has changed. */
  async start(cron: CronRow, at: number): Promise<LastRun | undefined> {
    const { storage, platform } = this.#parts;
    const address = { tenant: storage.thread()?.tenant ?? "", threadId: idOf("thread", cron, at) };
    if (cron.firingAt === undefined) {
      const made = await this.#make(address, cron);
      platform.reached("cron.thread_made");
      if (!made.ok) return refused(made.error);
      if (!this.#note(cron, at)) return this.#giveUp(address, cron);
      platform.reached("cron.thread_noted");
    }
    const runId = idOf("run", cron, at);
    const started = await this.#startRun(address, cron, runId);
    platform.reached("cron.run_sent");
    // All that there is goes: the thread of a run that has come just now, too.
    if (storage.thread()?.deleting !== 0) return this.#giveUp(address, cron);
    if (started.ok || started.error.code === "thread_not_found") return { run: runId };
    return refused(started.error);
  }

  /** Removes the thread of a run that was refused. */
  async remove(cron: CronRow, at: number): Promise<void> {
    const address = {
      tenant: this.#parts.storage.thread()?.tenant ?? "",
      threadId: idOf("thread", cron, at),
    };
    await this.#parts.callThread(address, (thread) => thread.deleteThread(address));
  }

  async #make(address: ThreadAddress, cron: CronRow): Promise<Reply<null>> {
    const { threadMetadata } = await requestOf(this.#parts.storage.serde, cron);
    const metadata = { ...threadMetadata, cron_id: cron.id };
    const create = { ...address, metadata, ifExists: "do_nothing" } as const;
    return this.#parts.callThread(address, async (thread) => {
      const reply = await thread.createThread(create);
      if (!reply.ok) return reply;
      await discard(reply.value);
      return { ok: true, value: null };
    });
  }

  /** Whether the thread is still wanted. */
  #note(cron: CronRow, at: number): boolean {
    const { storage } = this.#parts;
    if (this.#current(cron)?.nextAt !== at) return false;
    storage.transaction(() => storage.crons.beginFiring(cron.id, at));
    return true;
  }

  /** The cron as it is now, undefined when it is gone, or goes with all that there is. */
  #current({ id }: CronRow): CronRow | undefined {
    const { storage } = this.#parts;
    return storage.thread()?.deleting === 0 ? storage.crons.get(id) : undefined;
  }

  async #giveUp(address: ThreadAddress, cron: CronRow): Promise<undefined> {
    // One that is still there may have started its run meanwhile.
    if (this.#current(cron) !== undefined) return undefined;
    await this.#parts.callThread(address, (thread) => thread.deleteThread(address));
  }

  async #startRun(address: ThreadAddress, cron: CronRow, runId: string): Promise<Reply<null>> {
    const { callThread } = this.#parts;
    const request = await requestOf(this.#parts.storage.serde, cron);
    const isTemporary = cron.threads === "delete";
    const start = { ...address, runId, request, mustExist: true, isAcknowledged: true, isTemporary };
    return callThread(address, async (thread) => {
      const reply = await thread.startRun(start);
      if (!reply.ok) return reply;
      await discard(reply.value.run);
      return { ok: true, value: null };
    });
  }
}

function refused({ code, message, details }: WireError): LastRun {
  if (PASSING.has(code)) throw new TidemarkError(code, message, { details });
  return { error: code };
}

/** A UUID that follows from the cron and the time, and sorts by it. */
function idOf(kind: "thread" | "run", { id }: CronRow, at: number): string {
  const time = at.toString(16).padStart(12, "0");
  const rest = uuid5(JSON.stringify([kind, id, at]), NAMESPACE).slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest}`;
}
