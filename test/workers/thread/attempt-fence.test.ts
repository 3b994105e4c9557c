import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { RunSupersededError } from "../../../src/thread/errors.ts";
import type { RunRow } from "../../../src/thread/runs/run-row.ts";
import type { CommitGuard } from "../../../src/thread/attempt/commit-guard.ts";
import { ThreadStorage } from "../../../src/thread/thread-storage.ts";
import { noteReport } from "../../support/reports.ts";

const CONFIG = { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: "c" } };

/** The storage of a thread with a run in its queue, in an object of its own. */
class FencedThread {
  readonly storage: ThreadStorage;
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.storage = new ThreadStorage({
      storage,
      platform: { setAlarm: () => undefined, deleteAlarm: () => undefined, reached: () => undefined },
      prefix: "p",
      randomId: () => crypto.randomUUID(),
      report: noteReport,
      yieldTurn: () => Promise.resolve(),
    });
  }

  static inObject(work: (thread: FencedThread) => Promise<void>): Promise<void> {
    const stub = env.THREAD.get(env.THREAD.newUniqueId());
    return runInDurableObject(stub, (_, { storage }) => work(new FencedThread(storage)));
  }

  create(): void {
    this.storage.create({ tenant: "", thread_id: "t", graph: "g", created_at: 0, metadata: {} });
    const request = { type: "msgpack", body: new Uint8Array(), bodyHash: null };
    this.storage.runs.insert({
      id: "r",
      createdAt: 0,
      startAt: undefined,
      multitask: "enqueue",
      timeLimit: undefined,
      isAcknowledged: false,
      request,
      context: undefined,
    });
  }

  claim(): RunRow {
    const run = this.storage.runs.get("r");
    if (run === undefined) throw new Error("There is no run.");
    const claim = { startedAt: 0, version: undefined, isCounted: true };
    return this.storage.transaction(() => this.storage.claim(run, claim));
  }

  /** As that attempt of the run does it. */
  write(attempt: RunRow, task: string): Promise<void> {
    const guard: CommitGuard = {
      check: () => this.storage.fence.check(attempt),
      accompanies: false,
      accompany: () => undefined,
      committed: () => undefined,
    };
    return this.storage.saverFor(guard).putWrites(CONFIG, [["a", task]], task);
  }

  tasks(): string[] {
    const rows = this.#sql.exec<{ task: string }>("SELECT task FROM writes ORDER BY task");
    return rows.toArray().map(({ task }) => task);
  }
}

describe("an attempt", () => {
  it("commits nothing more when the next one is entered, in a transaction or as one statement", () =>
    FencedThread.inObject(async (thread) => {
      thread.create();
      const first = thread.claim();
      const second = thread.claim();
      await expect(thread.write(first, "transaction")).rejects.toThrow(RunSupersededError);
      await thread.write(second, "a");
      await expect(thread.write(first, "statement")).rejects.toThrow(RunSupersededError);
      await thread.write(second, "b");
      expect(thread.tasks()).toEqual(["a", "b"]);
    }));

  it("commits nothing more when its run has ended", () =>
    FencedThread.inObject(async (thread) => {
      thread.create();
      const attempt = thread.claim();
      await thread.write(attempt, "a");
      thread.storage.fence.close();
      await expect(thread.write(attempt, "late")).rejects.toThrow(RunSupersededError);
      expect(thread.tasks()).toEqual(["a"]);
    }));

  it("commits nothing into the thread that takes the place of its own", () =>
    FencedThread.inObject(async (thread) => {
      thread.create();
      const attempt = thread.claim();
      await thread.write(attempt, "a");
      await thread.storage.deleteAll();
      thread.create();
      await expect(thread.write(attempt, "late")).rejects.toThrow(RunSupersededError);
      await thread.write(thread.claim(), "b");
      expect(thread.tasks()).toEqual(["b"]);
    }));
});
