import { afterEach, describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { injectFaults, platformFaults, type StorageCall } from "../../support/faults.ts";
import { until } from "../../support/gate.ts";
import { gated } from "../../support/gated.ts";
import { expectOneChain } from "../../support/history.ts";
import { recordsOf } from "../../support/records.ts";
import { stopObject } from "../../support/instances.ts";
import { Log } from "../../support/log.ts";
import { json, TestThread, type RunAnswer } from "../../support/threads.ts";
import { deploy, deployVersion } from "../graphs.ts";

afterEach(() => {
  injectFaults();
  deployVersion();
});

/** Three nodes, one after the other; notes how often each has run. */
function threeNodes() {
  const runs: Record<string, number> = { a: 0, b: 0, c: 0 };
  const node = (name: string) => async () => {
    runs[name] = (runs[name] ?? 0) + 1;
    await scheduler.wait(1);
    return { log: [name] };
  };
  const graph = new StateGraph(Log)
    .addNode({ a: node("a"), b: node("b"), c: node("c") })
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .addEdge("c", END)
    .compile();
  return { runs, graph };
}

async function attempts(thread: TestThread): Promise<{ attempt: number; stalled: number } | undefined> {
  const rows = await thread.sql<{ attempt: number; stalled: number }>("SELECT attempt, stalled FROM runs");
  return rows.at(-1);
}

/** Lets the time of the next alarm come again and again until the call is answered. */
async function hurry<T>(thread: TestThread, call: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): boolean => (isOver = true);
  void call.then(over, over);
  await until(async () => {
    if (!isOver) await thread.fireAlarm().catch(() => undefined);
    return isOver;
  }, 20_000);
  return call;
}

describe("a fault of the storage that the platform names", () => {
  it.for(["before", "after"] as const)(
    "%s any of a run's transactions changes nothing of what comes of it",
    async (when) => {
      let isHit = true;
      for (let nth = 0; isHit; nth++) {
        const { runs, graph } = threeNodes();
        deploy({ graph });
        const thread = new TestThread();
        await thread.invoke({ input: { log: ["first"] } });
        isHit = false;
        let count = 0;
        injectFaults((call) => {
          if (!isOf(thread, call) || call.operation !== "transaction" || call.when !== when) return undefined;
          if (count++ !== nth) return undefined;
          isHit = true;
          return platformFaults.connection();
        });
        const answer = await hurry(thread, thread.invoke({ input: { log: ["in"] } }));
        injectFaults();
        expect(answer.values["log"]).toEqual(["first", "a", "b", "c", "in", "a", "b", "c"]);
        expect(Object.values(runs).every((times) => times <= 3)).toBe(true);
        expect(await thread.rowCounts()).toMatchObject({ queue: 0, runs: 2 });
        await expectOneChain(thread);
        expect(nth).toBeLessThan(30);
      }
    },
  );

  it("keeps no other call from making the thread when it comes as the tables are made", async () => {
    const { graph } = threeNodes();
    deploy({ graph });
    const thread = new TestThread();
    let left = 1;
    injectFaults((call) =>
      isOf(thread, call) && call.operation === "transaction" && call.when === "after" && left-- > 0
        ? platformFaults.timeout()
        : undefined,
    );
    const bodies = [{ input: { log: ["in"] } }, { input: { log: ["in"] } }];
    const answers = await Promise.all(bodies.map((body) => thread.invoke(body)));
    expect(answers.map(({ status }) => status)).toEqual(["success", "success"]);
    expect(await thread.rowCounts()).toMatchObject({ thread: 1, runs: 2, queue: 0 });
  });

  it("does not count among the attempts that got nowhere, however often it comes", async () => {
    const thread = new TestThread();
    let left = 9;
    let isFaulty = false;
    const graph = new StateGraph(Log)
      .addNode("work", async () => {
        await scheduler.wait(1);
        isFaulty = left-- > 0;
        return { log: ["worked"] };
      })
      .addEdge(START, "work")
      .addEdge("work", END)
      .compile();
    deploy({ graph });
    injectFaults((call) => {
      if (!isFaulty || !isOf(thread, call)) return undefined;
      isFaulty = false;
      return platformFaults.timeout();
    });
    const answer = await attached(thread);
    expect(answer.values["log"]).toEqual(["in", "worked"]);
    expect(await attempts(thread)).toEqual({ attempt: 10, stalled: 0 });
  });
});

describe("a deploy in the middle of a run", () => {
  it("does not count, and the run goes on in the new code, many times over", async () => {
    const thread = new TestThread();
    let version = 0;
    let isSuperseded = false;
    const graph = new StateGraph(Log)
      .addNode("work", async () => {
        await scheduler.wait(2);
        if (version < 8) {
          version += 1;
          isSuperseded = true;
        }
        deployVersion(`v${version}`);
        return { log: ["worked"] };
      })
      .addEdge(START, "work")
      .addEdge("work", END)
      .compile();
    deploy({ graph });
    deployVersion("v0");
    // The old code may not write any more, and then the object is gone.
    injectFaults((call) => {
      if (!isSuperseded || !isOf(thread, call)) return undefined;
      isSuperseded = false;
      return stoppedWith(thread, platformFaults.deploy());
    });
    const answer = await attached(thread);
    expect(answer.values["log"]).toEqual(["in", "worked"]);
    expect(await attempts(thread)).toEqual({ attempt: 9, stalled: 0 });
  });
});

describe("an object that is reset for its memory", () => {
  it("enters its run again, and gives it up after ten times; the thread is read, repaired and goes on", async () => {
    const thread = new TestThread();
    let mode: "ok" | "poison" = "ok";
    let isFull = false;
    injectFaults((call) => {
      if (!isFull || !isOf(thread, call)) return undefined;
      isFull = false;
      return stoppedWith(thread, platformFaults.memory());
    });
    const graph = new StateGraph(Log)
      .addNode("eat", async ({ log }) => {
        await scheduler.wait(1);
        isFull = mode === "poison" && !log.includes("repaired");
        return { log: ["ate"] };
      })
      .addEdge(START, "eat")
      .addEdge("eat", END)
      .compile();
    deploy({ graph });
    await thread.invoke({ input: { log: ["in"] } });
    mode = "poison";
    await expect(hurry(thread, attached(thread))).rejects.toMatchObject({
      code: "run_stalled",
      details: { attempts: expect.any(Number) },
    });
    expect(await thread.alarm()).toBeNull();
    const [run] = (await thread.get("/runs")) as { status: string; error: { code: string } }[];
    expect(run).toMatchObject({ status: "error", error: { code: "run_stalled" } });
    expect((await thread.state()).next).toEqual(["eat"]);
    await thread.update({ values: { log: ["repaired"] }, as_node: "__start__" });
    expect((await thread.invoke()).values["log"]).toEqual(["in", "ate", "in", "repaired", "ate"]);
  });
});

describe("a run that has stopped its object, or was stopped with it", () => {
  it("waits longer each time, whoever calls, so that it is given up after ten attempts and some minutes", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const { run_id: id } = (await json(thread.post("/runs", { input: { log: ["in"] } }))) as RunAnswer;
    await gate.reached();
    // Its first attempt has stored the input.
    const seconds = [0, 0, 1, 2, 4, 8, 16, 32, 64, 128];
    let lastEntered = Date.now();
    for (const [index, wait] of seconds.entries()) {
      const entered = index + 1;
      await thread.crash();
      await thread.state();
      const [timer] = await thread.sql<{ due: number }>("SELECT due FROM timers");
      const isHeldBack = (await attempts(thread))?.attempt === entered;
      expect(isHeldBack).toBe(wait > 0);
      const waitsSince = (timer?.due ?? 0) - wait * 1000;
      if (isHeldBack) expect([waitsSince >= lastEntered, waitsSince <= Date.now()]).toEqual([true, true]);
      lastEntered = Date.now();
      if (isHeldBack) await thread.fireAlarm();
      await gate.reached(entered + 1);
    }
    const told = recordsOf(thread.id).filter(({ event }) => event === "run.held_back");
    expect(told.map((record) => record["stalled"])).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    await thread.crash();
    await thread.state();
    await until(async () => (await thread.alarm()) === null);
    expect(await thread.get(`/runs/${id}`)).toMatchObject({
      status: "error",
      attempts: 11,
      error: { code: "run_stalled" },
    });
    gate.open();
    expect((await thread.invoke()).values["log"]).toEqual(["in", "n"]);
  });

  it("survives a storm of stops: what is stopped while it waits does not count", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const { run_id: id } = (await json(thread.post("/runs", { input: { log: ["in"] } }))) as RunAnswer;
    await gate.reached();
    for (let stop = 0; stop < 20; stop++) {
      await thread.crash();
      await thread.get(`/runs/${id}`);
    }
    const [row] = await thread.sql<{ stalled: number }>("SELECT stalled FROM runs");
    expect(row?.stalled).toBeGreaterThan(1);
    expect(row?.stalled).toBeLessThan(5);
    gate.open();
    await until(async () => {
      await thread.fireAlarm();
      return (await thread.sql("SELECT 1 FROM queue")).length === 0;
    });
    expect((await thread.state()).values["log"]).toEqual(["in", "n"]);
  });
});

describe("an alarm", () => {
  it("that is overdue is not needed: the first call takes the run up", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const response = await thread.post("/runs", { input: { log: ["in"] } });
    await response.body?.cancel();
    await gate.reached();
    await thread.inside(({ storage }) => storage.deleteAlarm());
    await thread.crash();
    gate.open();
    await thread.state();
    await until(async () => (await thread.sql("SELECT 1 FROM queue")).length === 0);
    expect((await thread.state()).values["log"]).toEqual(["in", "n"]);
  });

  it("that comes twice, or when all is over, does nothing twice (EVI-05)", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const call = thread.invoke({ input: { log: ["in"] } });
    await gate.reached();
    expect(await Promise.all([thread.fireAlarm(), thread.fireAlarm()])).toContain(true);
    expect(await thread.fireAlarm()).toBe(true);
    gate.open();
    expect((await call).values["log"]).toEqual(["in", "n"]);
    expect(await thread.fireAlarm()).toBe(false);
    await thread.evict();
    await thread.inside(({ storage }) => storage.setAlarm(Date.now() + 60_000));
    const rows = await thread.rowCounts();
    await thread.fireAlarm();
    expect(await thread.rowCounts()).toEqual(rows);
    expect(await thread.alarm()).toBeNull();
    expect(await attempts(thread)).toMatchObject({ attempt: 1 });
  });

  it("never enters a run that has paused", async () => {
    let visits = 0;
    const graph = new StateGraph(Log)
      .addNode("ask", () => {
        visits += 1;
        return { log: [String(interrupt("?"))] };
      })
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: [] } });
    await thread.crash();
    await thread.state();
    await thread.inside(({ storage }) => storage.setAlarm(Date.now() + 60_000));
    await thread.fireAlarm();
    expect(visits).toBe(1);
    expect(await thread.alarm()).toBeNull();
  });
});

/** The object ends with the fault. */
function stoppedWith(thread: TestThread, fault: Error): Error {
  try {
    return stopObject(thread.id);
  } catch {
    return fault;
  }
}

function isOf(thread: TestThread, { name }: StorageCall): boolean {
  return name === objectName("", thread.id);
}

/** The run of a call whose router asks again as often as it takes. */
async function attached(thread: TestThread): Promise<RunAnswer> {
  const runId = crypto.randomUUID();
  const request = {
    input: { kind: "input", value: { log: ["in"] } },
    config: {},
    onInterrupted: "refuse",
    modes: [],
  } as const;
  for (;;) {
    try {
      const reply = await thread.stub.invoke({ tenant: "", threadId: thread.id, runId, request });
      if (!("value" in reply)) throw Object.assign(new Error("The run has failed."), failureOf(reply));
      return await new Response(reply.value).json();
    } catch (error) {
      if (error instanceof Error && "code" in error) throw error;
      await scheduler.wait(5);
    }
  }
}

function failureOf(reply: object): object {
  return "error" in reply ? (Object(reply.error) as object) : {};
}
