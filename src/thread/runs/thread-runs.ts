import { TidemarkError } from "../../errors.ts";
import type { Ready } from "../access.ts";
import { jsonBytes, jsonPage } from "../answer-text.ts";
import { runNotEnded, runNotFound, threadNotFound } from "../errors.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { Bytes, Reply, ThreadAddress } from "../call.ts";
import type {
  AcceptedRun,
  CancelRun,
  ListGraphs,
  ListRuns,
  NamedRun,
  RunsApi,
  StartRun,
  ToldRun,
} from "./run-protocol.ts";
import { lastNumber } from "../feed/event-number.ts";
import { replying } from "../replying.ts";
import type { RunAdmission } from "./run-admission.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { RunRow } from "./run-row.ts";
import type { RunStops } from "./run-stops.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import { wireRun } from "./wire-run.ts";

export interface ThreadRunsParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly admission: RunAdmission;
  readonly stops: RunStops;
  readonly ready: Ready;
  /** The values of a run, when it has ended. */
  readonly values: (run: NamedRun) => Promise<Bytes>;
}

/** What can be asked of the thread's runs by their ids. */
export class ThreadRuns implements RunsApi {
  readonly #parts: ThreadRunsParts;

  constructor(parts: ThreadRunsParts) {
    this.#parts = parts;
  }

  startRun(start: StartRun): Promise<Reply<ToldRun>> {
    const { admission, ready } = this.#parts;
    return replying(async () => this.#told({ ...start, runId: await admission.accept(start, ready) }));
  }

  acceptRun(start: StartRun): Promise<Reply<AcceptedRun>> {
    const { admission, ready } = this.#parts;
    return replying(async () => {
      const runId = await admission.accept({ ...start, isAwaited: true }, ready);
      const run = { ...start, runId };
      if (!(await this.#endsNow(runId))) return { runId };
      const values = await this.#parts.values(run).catch((fault: unknown) => {
        if (fault instanceof TidemarkError && fault.code === "thread_deleted") throw fault;
        // Why else they are not to be had, `joinRun` says.
        return undefined;
      });
      return values === undefined ? { runId } : { runId, values };
    });
  }

  getRun(named: NamedRun): Promise<Reply<ToldRun>> {
    return replying(async () => {
      await this.#parts.ready(named);
      return this.#told(named, false);
    });
  }

  listRuns({ select, ...list }: ListRuns): Promise<Reply<Bytes>> {
    const { ready, platform } = this.#parts;
    return replying(async () => {
      await ready(list);
      this.#requireThread(list);
      const runs = this.#wireRuns(list, select);
      return jsonPage(runs, (fault) => platform.report(fault));
    });
  }

  listGraphs({ runId, ...address }: ListGraphs): Promise<Reply<readonly string[]>> {
    const { ready, storage } = this.#parts;
    return replying(async () => {
      await ready(address);
      this.#requireThread(address);
      const [newest] = storage.runs.list({ limit: 1, offset: 0 });
      const run = runId === undefined ? newest : this.#find({ ...address, runId }).id;
      if (run === undefined) return [];
      return storage.saver.namespacesOf(address.threadId, run).filter((namespace) => namespace !== "");
    });
  }

  joinRun(named: NamedRun): Promise<Reply<Bytes>> {
    return replying(async () => {
      await this.#parts.ready(named);
      this.#find(named);
      return this.#parts.values(named);
    });
  }

  cancelRun({ action, wait, startedBy, ...named }: CancelRun): Promise<Reply<ToldRun>> {
    const { admission, ready, stops, queue } = this.#parts;
    return replying(async () => {
      await ready(named);
      this.#requireThread(named);
      if (startedBy !== undefined && (await admission.startedBy(startedBy)) !== named.runId)
        return this.#told(named);
      if (action !== "rollback") await stops.told(named.runId);
      stops.cancel(named.threadId, named.runId, action);
      queue.wake();
      if (wait) await this.#hasLetGo(named);
      return this.#told(named);
    });
  }

  deleteRun(named: NamedRun): Promise<Reply<null>> {
    const { ready, storage } = this.#parts;
    return replying(async () => {
      await ready(named);
      const { id, endedAt } = this.#find(named);
      if (endedAt === undefined) throw runNotEnded(id);
      storage.transaction(() => {
        storage.runs.remove(id);
        storage.removeEvents(id);
        storage.deliveries.removeOf(id);
      });
      return null;
    });
  }

  /**
   * Whether the run ends in this turn of the event loop: nothing in it waits for anything. A run that does takes the timer
   * back, which would cost a turn of its own.
   */
  #endsNow(runId: string): Promise<boolean> {
    return new Promise((resolve) => {
      const nextTurn = setTimeout(resolve, 0, false);
      const settle = (isOver: boolean): void => {
        clearTimeout(nextTurn);
        resolve(isOver);
      };
      const completion = this.#parts.queue.completion(runId);
      completion.then(
        () => settle(true),
        () => settle(false),
      );
    });
  }

  async *#wireRuns(
    list: Omit<ListRuns, "select">,
    select: ListRuns["select"],
  ): AsyncGenerator<unknown, void, undefined> {
    const { storage } = this.#parts;
    for (const id of storage.runs.list(list)) {
      const run = storage.thread() && storage.runs.get(id);
      if (run === undefined) continue;
      const wire = await wireRun(storage, list.threadId, run);
      yield select === undefined ? wire : Object.fromEntries(select.map((key) => [key, wire[key]]));
    }
  }

  async #told(named: NamedRun, isRolledBackToo = true): Promise<ToldRun> {
    const { storage } = this.#parts;
    const run = this.#find(named, isRolledBackToo);
    const text = jsonBytes(await wireRun(storage, named.threadId, run));
    const { queue, runs } = storage;
    const place = run.place ?? runs.get(queue.first() ?? "")?.place ?? runs.places.last() + 1;
    return {
      runId: run.id,
      isCancelled: run.cancelled !== undefined,
      after: lastNumber(place - 1),
      run: text,
    };
  }

  /** One that was rolled back is there only for those who took part in that. */
  #find({ threadId, tenant, runId }: NamedRun, isRolledBackToo = false): RunRow {
    this.#requireThread({ threadId, tenant });
    const run = this.#parts.storage.runs.get(runId);
    if (run === undefined || (run.cancelled === "rollback" && !isRolledBackToo))
      throw runNotFound(threadId, runId);
    return run;
  }

  /** Nothing of a cancelled run goes on any more, and what was to be undone is. */
  async #hasLetGo({ runId }: NamedRun): Promise<void> {
    const { storage, queue } = this.#parts;
    // What goes on of a run has the thread to itself until it lets go.
    if (storage.runs.get(runId)?.endedAt !== undefined) return queue.lock.exclusive(() => Promise.resolve());
    const isInQueue = () => storage.thread() !== undefined && storage.queue.all().includes(runId);
    while (isInQueue()) if ((await queue.completion(runId)).status === "refused") return;
  }

  #requireThread({ threadId }: ThreadAddress): void {
    if (this.#parts.storage.thread() === undefined) throw threadNotFound(threadId);
  }
}
