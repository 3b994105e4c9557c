import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Log } from "../../../src/log.ts";
import type { ThreadPlatform } from "../../../src/thread/platform.ts";
import { RunEntrance } from "../../../src/thread/runs/run-entrance.ts";
import type { Completion } from "../../../src/thread/queue/completions.ts";
import { RunQueue } from "../../../src/thread/queue/run-queue.ts";
import type { NewRun, RunRow } from "../../../src/thread/runs/run-row.ts";
import { RunStops } from "../../../src/thread/runs/run-stops.ts";
import { ThreadStorage } from "../../../src/thread/thread-storage.ts";
import { Gate } from "../../support/gate.ts";
import { noteReport } from "../../support/reports.ts";

const NOW = 1000;

/** A thread whose runs come as far as their executor, which says how. */
class EnteredThread {
  readonly storage: ThreadStorage;
  readonly queue: RunQueue;
  readonly entered: string[] = [];
  readonly reached: string[] = [];
  gate: Gate | undefined;
  /** The run that a fault stops, before it has ended or after. */
  fault: { readonly run: string; readonly when: "before" | "after" } | undefined;
  readonly stops: RunStops;
  readonly #entrance: RunEntrance;

  constructor(storage: DurableObjectStorage) {
    const platform: ThreadPlatform = {
      objectId: "o",
      lease: 1000,
      version: "v1",
      now: () => NOW,
      wait: () => Promise.resolve(),
      setAlarm: () => undefined,
      deleteAlarm: () => undefined,
      sync: () => Promise.resolve(),
      waitUntil: () => undefined,
      log: new Log({ level: "silent" }, () => NOW),
      report: noteReport,
      acceptSocket: () => undefined,
      sockets: () => [],
      reached: (point) => void this.reached.push(point),
    };
    this.storage = new ThreadStorage({
      storage,
      platform,
      prefix: "p",
      randomId: () => crypto.randomUUID(),
      report: noteReport,
      yieldTurn: () => Promise.resolve(),
    });
    this.storage.create({ tenant: "", thread_id: "t", graph: "g", created_at: 0, metadata: {} });
    const leave =
      (way: string) =>
      async (run: RunRow): Promise<Completion> => {
        this.entered.push(`${run.id} ${way} ${run.attempt}`);
        const isStopped = way === "executed" && this.fault?.run === run.id;
        if (isStopped && this.fault?.when === "before") throw new Error("A fault.");
        await this.gate?.pass();
        this.storage.transaction(() => {
          const progress = { checkpointId: undefined, supersteps: 0 };
          this.storage.fence.check(run);
          this.storage.runs.end(run.id, { status: "success", endedAt: NOW, progress });
          this.queue.noteLeft();
        });
        if (isStopped) throw new Error("A fault.");
        return { status: "ended" };
      };
    const executor = { execute: leave("executed"), rollBack: leave("undone"), giveUp: leave("given up") };
    this.queue = new RunQueue(this.storage, platform, executor);
    const runner = { abortRun: () => undefined, hasTold: () => true, told: () => Promise.resolve() };
    const parts = { storage: this.storage, platform, queue: this.queue };
    this.stops = new RunStops({ ...parts, runner, onLeave: () => this.queue.noteLeft() });
    this.#entrance = new RunEntrance({ ...parts, stops: this.stops });
  }

  static inObject(work: (thread: EnteredThread) => Promise<void>): Promise<void> {
    const stub = env.THREAD.get(env.THREAD.newUniqueId());
    return runInDurableObject(stub, (_, { storage }) => work(new EnteredThread(storage)));
  }

  /** Takes the run in, and gives its row before anything goes on. */
  admit(id: string, more: Partial<NewRun> = {}): RunRow | undefined {
    const run: NewRun = {
      id,
      createdAt: NOW,
      startAt: undefined,
      multitask: "enqueue",
      timeLimit: undefined,
      isAcknowledged: true,
      request: { type: "msgpack", body: new Uint8Array([0xc0]), bodyHash: null },
      context: undefined,
      ...more,
    };
    this.storage.transaction(() => this.#entrance.admit(run))();
    return this.storage.runs.get(id);
  }

  async drained(): Promise<void> {
    this.queue.wake();
    await this.queue.drained();
  }
}

describe("a run that comes into a thread where nothing goes on", () => {
  it("is entered as it is taken in, once", () =>
    EnteredThread.inObject(async (thread) => {
      const begun = { status: "running", attempt: 1, stalled: 1, startedAt: NOW, version: "v1", place: 1 };
      expect(thread.admit("a", { timeLimit: 5 })).toMatchObject(begun);
      expect(thread.storage.timers.dueTime("time_limit", "a")).toBe(NOW + 5);
      await thread.drained();
      expect(thread.entered).toEqual(["a executed 1"]);
      expect(thread.reached).toEqual(["run.claimed"]);
      expect(thread.storage.runs.get("a")).toMatchObject({ status: "success", attempt: 1, place: 1 });
    }));

  it.for(["rollback", "interrupt"] as const)("can be stopped before it begins: %s", (action) =>
    EnteredThread.inObject(async (thread) => {
      thread.admit("a");
      const next = thread.admit("b", { multitask: action });
      expect(next).toMatchObject({ status: "pending", attempt: 0, place: undefined });
      await thread.drained();
      const undone = action === "rollback" ? ["a undone 1"] : [];
      expect(thread.entered).toEqual([...undone, "b executed 1"]);
    }),
  );

  it("is not entered before its time when others come, or when it is not taken in after all", () =>
    EnteredThread.inObject(async (thread) => {
      expect(() =>
        thread.storage.transaction(() => {
          thread.admit("undone");
          throw new Error("It is not taken in.");
        }),
      ).toThrow("not taken in");
      thread.gate = new Gate();
      thread.admit("a");
      expect(thread.admit("b")).toMatchObject({ status: "pending", attempt: 0 });
      thread.queue.wake();
      await thread.gate.reached();
      expect(thread.admit("c")).toMatchObject({ status: "pending", attempt: 0 });
      thread.gate.open();
      thread.gate = undefined;
      await thread.queue.drained();
      expect(thread.entered).toEqual(["a executed 1", "b executed 1", "c executed 1"]);
    }));

  it("waits for what has the thread to itself", () =>
    EnteredThread.inObject(async (thread) => {
      const gate = new Gate();
      const edit = thread.queue.lock.edit(() => gate.pass());
      expect(thread.admit("a")).toMatchObject({ status: "pending", attempt: 0 });
      thread.queue.wake();
      await gate.reached();
      gate.open();
      await edit;
      await thread.queue.drained();
      expect(thread.entered).toEqual(["a executed 1"]);
    }));

  it("begins whenever it comes, also right after the last one has left", () =>
    EnteredThread.inObject(async (thread) => {
      const came: string[] = [];
      for (let turns = 0; turns < 16; turns++) {
        const [last, next] = [`${turns + 10} last`, `${turns + 10} next`];
        thread.admit(last);
        thread.queue.wake();
        const left = thread.queue.completion(last);
        came.push(last, next);
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        thread.admit(next);
        thread.queue.wake();
        await left;
        await thread.queue.completion(next);
      }
      expect(thread.entered).toEqual(came.map((id) => `${id} executed 1`));
    }));
});

describe("a run that a fault stops", () => {
  it("after it has ended is over for who waits for it", () =>
    EnteredThread.inObject(async (thread) => {
      thread.fault = { run: "a", when: "after" };
      thread.admit("a");
      const completion = thread.queue.completion("a");
      await thread.drained();
      expect(await Promise.race([completion, scheduler.wait(500)])).toEqual({ status: "ended" });
    }));

  it.for(["interrupt", "rollback"] as const)(
    "and that is cancelled (%s) meanwhile keeps none behind it waiting, at whatever moment it is",
    (action) =>
      EnteredThread.inObject(async (thread) => {
        for (let turns = 0; turns < 12; turns++) {
          const [first, second] = [`${turns} a`, `${turns} b`];
          thread.fault = { run: first, when: "before" };
          thread.admit(first);
          thread.admit(second);
          thread.queue.wake();
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          thread.stops.cancel("t", first, action);
          thread.queue.wake();
          await thread.queue.drained();
          expect({ turns, left: thread.storage.queue.all() }).toEqual({ turns, left: [] });
        }
      }),
  );
});
