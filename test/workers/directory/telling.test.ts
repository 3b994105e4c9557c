import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import type { DirectoryApi, ThreadEntry } from "../../../src/directory/protocol.ts";
import { objectName } from "../../../src/http/object-name.ts";
import type { ThreadObject } from "../../../src/thread/thread-object.ts";
import { createRuntime } from "../../../src/worker.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { startRun } from "./start-run.ts";

/** A thread, what its directory was told and asked, and how often its alarm was set or removed. */
interface Told {
  /** Another instance takes its place. */
  readonly wake: () => void;
  readonly heard: readonly string[];
  readonly alarms: readonly string[];
  readonly timers: () => unknown[];
  /** What the directory knows: an entry of a version that it has is nothing new. */
  readonly known: () => ThreadEntry | undefined;
  /** Has the directory answer later, or not at all, that it has taken an entry. */
  readonly answer: (answering: () => Promise<void>) => void;
  readonly version: () => unknown;
  readonly run: () => Promise<unknown>;
  readonly create: () => Promise<unknown>;
}

async function telling(gates: readonly Gate[], work: (told: Told) => Promise<void>): Promise<void> {
  const left = [...gates];
  const graph = new StateGraph(Log)
    .addNode("wait", async () => {
      await left.shift()?.pass();
      return { log: ["done"] };
    })
    .addEdge(START, "wait")
    .addEdge("wait", END)
    .compile();
  const { Thread } = createRuntime({ graphs: { graph } });
  const [tenant, threadId] = [crypto.randomUUID(), crypto.randomUUID()];
  const heard: string[] = [];
  let known: ThreadEntry | undefined;
  let answering = (): Promise<void> => Promise.resolve();
  const directory: Pick<DirectoryApi, "knowsThread" | "putThread"> = {
    knowsThread: async () => {
      heard.push("asked");
      return true;
    },
    putThread: async (entry, expectation) => {
      const { status } = entry;
      heard.push(expectation === undefined ? status : `${status}, expects more`);
      if (known === undefined || known.version < entry.version) known = entry;
      await answering();
      return expectation !== undefined;
    },
  };
  await runInDurableObject(env.THREAD.getByName(objectName(tenant, threadId)), async (_, state) => {
    const alarms: string[] = [];
    for (const method of ["setAlarm", "deleteAlarm"] as const) {
      const original = state.storage[method].bind(state.storage);
      vi.spyOn(state.storage, method).mockImplementation((time?: number | Date) => {
        alarms.push(method);
        return original(time as number);
      });
    }
    const begin = (): ThreadObject =>
      new Thread(state, { ...env, DIRECTORY: { getByName: () => directory } });
    let thread = begin();
    await work({
      wake: () => void (thread = begin()),
      heard,
      alarms,
      known: () => known,
      answer: (given) => void (answering = given),
      version: () => state.storage.sql.exec<{ version: number }>("SELECT version FROM thread").one().version,
      timers: () => state.storage.sql.exec("SELECT kind FROM timers").toArray(),
      run: async () =>
        expect(await thread.invoke(startRun({ tenant, threadId }))).toMatchObject({ ok: true }),
      create: () => thread.createThread({ tenant, threadId, metadata: {}, ifExists: "raise" }),
    });
    vi.restoreAllMocks();
  });
}

const settled = { timeout: 5000 };

describe("a directory", () => {
  it("expects a thread before it is made, and hears of its short runs when they have ended", () =>
    telling([], async ({ heard, create, run }) => {
      await create();
      expect(heard).toEqual(["idle, expects more"]);
      await run();
      await run();
      await expect.poll(() => heard, settled).toEqual(["idle, expects more", "idle", "idle"]);
    }));

  it("expects no more of a thread to which nothing happens", () =>
    telling([], async ({ heard, create, timers, alarms }) => {
      await create();
      await expect.poll(() => heard, settled).toEqual(["idle, expects more", "idle"]);
      expect([timers(), alarms]).toEqual([[], []]);
    }));

  it("hears of a short run that wakes a thread when it has ended", () =>
    telling([], async ({ heard, wake, timers, create, run }) => {
      await create();
      await expect.poll(() => heard, settled).toHaveLength(2);
      wake();
      await run();
      await expect.poll(() => heard.slice(2), settled).toEqual(["asked", "idle"]);
      await expect.poll(timers, settled).toEqual([]);
    }));

  it("hears of a run that goes on", async () => {
    const gate = new Gate();
    await telling([gate], async ({ heard, create, run }) => {
      await create();
      const ended = run();
      await gate.reached();
      const first = "idle, expects more";
      expect(heard).toEqual([first]);
      await expect.poll(() => heard, settled).toEqual([first, "busy"]);
      gate.open();
      await ended;
      await expect.poll(() => heard, settled).toEqual([first, "busy", "idle"]);
    });
  });

  it("hears at once of a thread that a run has made", async () => {
    const gate = new Gate();
    await telling([gate], async ({ heard, run }) => {
      const ended = run();
      await gate.reached();
      await expect.poll(() => heard, { timeout: 400 }).toEqual(["busy"]);
      gate.open();
      await ended;
    });
  });

  it("hears nothing between two runs that follow one another", async () => {
    const gates = [new Gate(), new Gate()];
    await telling(gates, async ({ heard, create, run }) => {
      await create();
      const ended = [run(), run()];
      for (const gate of gates) {
        await gate.reached();
        gate.open();
      }
      await Promise.all(ended);
      await expect.poll(() => heard, settled).toEqual(["idle, expects more", "idle"]);
    });
  });

  it("hears of many short runs twice a second", () =>
    telling([], async ({ heard, create, run }) => {
      await create();
      const begun = Date.now();
      for (let n = 0; n < 10; n++) await run();
      const most = 2 + Math.ceil((Date.now() - begun) / 500);
      expect(heard.length).toBeLessThanOrEqual(most);
      await expect.poll(() => heard.length, settled).toBeGreaterThanOrEqual(3);
    }));

  it("is told by a timer that stays for what comes next, and goes with the alarm when nothing does", () =>
    telling([], async ({ heard, alarms, timers, run }) => {
      await run();
      await run();
      await expect.poll(() => heard.at(-1), settled).toBe("idle");
      expect(timers()).toEqual([{ kind: "announcement" }]);
      expect(alarms).toEqual(["setAlarm"]);
      await expect.poll(timers, settled).toEqual([]);
      expect(alarms).toEqual(["setAlarm", "deleteAlarm"]);
    }));

  it("is told without a timer while it expects more", () =>
    telling([], async ({ heard, alarms, timers, create, run }) => {
      await create();
      await run();
      await expect.poll(() => heard, settled).toHaveLength(2);
      expect(timers()).toEqual([]);
      // The run's own, which comes and goes in one commit.
      expect(alarms).toEqual(["setAlarm", "deleteAlarm"]);
    }));

  it("is told of all that changes before it is told as of one change", async () => {
    const gate = new Gate();
    await telling([], async ({ answer, heard, known, run, version }) => {
      answer(() => gate.pass());
      await run();
      await gate.reached();
      await run();
      const changed = version();
      expect(changed).toBeGreaterThan(known()?.version ?? Infinity);
      await run();
      expect(version()).toBe(changed);
      gate.open();
      await expect.poll(() => known()?.version, settled).toBe(changed);
      expect(heard.at(-1)).toBe("idle");
    });
  });

  it("knows the last change when the answer to an earlier one was lost", () =>
    telling([], async ({ answer, known, run, version }) => {
      let isLost = false;
      answer(async () => {
        isLost = true;
        throw new Error("The answer is lost.");
      });
      await run();
      await expect.poll(() => isLost, settled).toBe(true);
      answer(() => Promise.resolve());
      const lost = known()?.version;
      await run();
      expect(version()).toBeGreaterThan(lost ?? Infinity);
      await expect.poll(() => known()?.version, settled).toBe(version());
    }));
});
