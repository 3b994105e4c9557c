import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Log } from "../../../src/log.ts";
import { migrate } from "../../../src/storage/migrations.ts";
import { threadMigrations } from "../../../src/thread/migrations.ts";
import type { ThreadPlatform } from "../../../src/thread/platform.ts";
import { ThreadStorage } from "../../../src/thread/thread-storage.ts";
import { TimerDispatch, type TimerHandler } from "../../../src/thread/timers/timer-dispatch.ts";
import { TIMER_KINDS, type TimerKind } from "../../../src/thread/timers/timers.ts";

const LEASE = 1000;

/** The storage of a thread in an object of its own, with a clock that the test sets and an alarm that it reads. */
class TimedThread {
  readonly storage: ThreadStorage;
  /** All that the alarm was set to. */
  readonly alarms: (number | "none")[] = [];
  readonly reports: unknown[] = [];
  now = 0;
  readonly #platform: ThreadPlatform;

  constructor(storage: DurableObjectStorage) {
    this.#platform = {
      objectId: "",
      lease: LEASE,
      version: undefined,
      now: () => this.now,
      wait: () => Promise.resolve(),
      setAlarm: (time) => this.alarms.push(time),
      deleteAlarm: () => this.alarms.push("none"),
      sync: () => Promise.resolve(),
      waitUntil: () => undefined,
      log: new Log({ level: "silent" }, () => this.now),
      acceptSocket: () => undefined,
      sockets: () => [],
      report: (error) => this.reports.push(error),
      reached: () => undefined,
    };
    this.storage = new ThreadStorage({
      storage,
      platform: this.#platform,
      report: (error) => this.#platform.report(error),
      prefix: "p",
      randomId: () => crypto.randomUUID(),
      yieldTurn: () => Promise.resolve(),
    });
  }

  static inObject(work: (thread: TimedThread, storage: DurableObjectStorage) => unknown): Promise<void> {
    const stub = env.THREAD.get(env.THREAD.newUniqueId());
    return runInDurableObject(stub, async (_, { storage }) => {
      await work(new TimedThread(storage), storage);
    });
  }

  create(): void {
    this.storage.create({ tenant: "", thread_id: "t", graph: "g", created_at: 0, metadata: {} });
  }

  set(id: string, due: number): void {
    this.storage.transaction(() => this.storage.timers.set("retention", id, due));
  }

  clear(id: string): void {
    this.storage.transaction(() => this.storage.timers.clear("retention", id));
  }

  fire(retention: TimerHandler): Promise<void> {
    const handlers = Object.fromEntries(TIMER_KINDS.map((kind) => [kind, retention]));
    return new TimerDispatch(
      this.storage,
      this.#platform,
      handlers as Record<TimerKind, TimerHandler>,
    ).fire();
  }
}

describe("timers", () => {
  it("set the alarm for the earliest, once a transaction and only when that changes, and to none when none is left", () =>
    TimedThread.inObject((thread) => {
      thread.create();
      thread.set("a", 500);
      thread.set("b", 700);
      thread.set("c", 300);
      thread.clear("c");
      thread.storage.transaction(() => {
        thread.set("b", 100);
        thread.set("b", 200);
        thread.clear("a");
      });
      thread.clear("b");
      expect(thread.alarms).toEqual([500, 300, 500, 200, "none"]);
    }));

  it("that are undone with their transaction are set again by the next one", () =>
    TimedThread.inObject((thread) => {
      thread.create();
      const failing = () =>
        thread.storage.transaction(() => {
          thread.set("a", 500);
          throw new Error("undone");
        });
      expect(failing).toThrow("undone");
      expect(thread.storage.timers.next()).toBeUndefined();
      thread.set("a", 500);
      expect(thread.alarms.at(-1)).toBe(500);
      expect(() => thread.storage.timers.set("retention", "a", 1)).toThrow("in a transaction");
    }));

  it("of objects of older code are made of what their alarm was for", () =>
    TimedThread.inObject((thread, storage) => {
      migrate(
        storage,
        threadMigrations.filter(({ version }) => version < 6),
      );
      const create =
        "INSERT INTO thread (id, tenant, thread_id, graph, created_at) VALUES (1, '', 't', 'g', 0)";
      storage.sql.exec(create);
      storage.sql.exec("INSERT INTO queue (run) VALUES ('a'), ('b')");
      expect(thread.storage.thread()).toMatchObject({ thread_id: "t" });
      expect(thread.storage.timers.due(1)).toEqual([{ kind: "queue", id: "", due: 1 }]);
    }));
});

describe("an alarm", () => {
  it("is set ahead before a handler is called, and for the next timer afterwards", () =>
    TimedThread.inObject(async (thread) => {
      thread.create();
      for (const [id, due] of [
        ["b", 20],
        ["a", 10],
        ["late", 5000],
      ] as const)
        thread.set(id, due);
      thread.now = 100;
      thread.alarms.length = 0;
      const handled: string[] = [];
      const handle: TimerHandler = ({ id }) => {
        handled.push(id);
        thread.clear(id);
      };
      await thread.fire((timer) => {
        expect(thread.alarms).toEqual([100 + LEASE]);
        return handle(timer);
      });
      expect(handled).toEqual(["a", "b"]);
      expect(thread.alarms).toEqual([100 + LEASE, 5000]);
      await thread.fire(handle);
      expect(handled).toEqual(["a", "b"]);
      expect(thread.alarms.at(-1)).toBe(5000);
    }));

  it("does not call for a timer that another handler has removed", () =>
    TimedThread.inObject(async (thread) => {
      thread.create();
      thread.set("a", 10);
      thread.set("b", 20);
      thread.now = 100;
      const handled: string[] = [];
      await thread.fire(({ id }) => {
        handled.push(id);
        thread.clear("a");
        thread.clear("b");
      });
      expect(handled).toEqual(["a"]);
    }));

  it("comes again after a lease for what could not be done, and does all else (ALA-03, ALA-07)", () =>
    TimedThread.inObject(async (thread) => {
      thread.create();
      thread.set("a", 10);
      thread.set("b", 20);
      thread.now = 100;
      await thread.fire(({ id }) => {
        if (id === "a") throw new Error("outage");
        thread.clear(id);
      });
      expect(thread.storage.timers.due(Infinity)).toEqual([{ kind: "retention", id: "a", due: 100 + LEASE }]);
      expect(thread.alarms.at(-1)).toBe(100 + LEASE);
      expect(thread.reports).toEqual([new Error("outage")]);
    }));

  it("comes less and less often for what can never be done, once an hour at least, until its timer is set anew", () =>
    TimedThread.inObject(async (thread) => {
      thread.create();
      thread.set("a", 10);
      const delays: number[] = [];
      const tryAgain = async (): Promise<void> => {
        thread.now = thread.storage.timers.next() ?? 0;
        await thread.fire(() => undefined);
        delays.push((thread.storage.timers.next() ?? 0) - thread.now);
      };
      for (let turn = 0; turn < 13; turn += 1) await tryAgain();
      expect(delays.slice(0, 4)).toEqual([LEASE, 2 * LEASE, 4 * LEASE, 8 * LEASE]);
      expect(delays.slice(-1)).toEqual([3_600_000]);
      thread.set("a", thread.now + 5);
      await tryAgain();
      expect(delays.at(-1)).toBe(LEASE);
    }));

  it("leaves the alarm as it was set ahead when the object is reset", () =>
    TimedThread.inObject(async (thread) => {
      thread.create();
      thread.set("a", 10);
      thread.now = 100;
      const reset = Object.assign(new Error("reset"), { durableObjectReset: true });
      await expect(thread.fire(() => Promise.reject(reset))).rejects.toBe(reset);
      expect(thread.alarms.at(-1)).toBe(100 + LEASE);
      expect(thread.storage.timers.next()).toBe(10);
    }));
});
