import { describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { Gate, until } from "../../support/gate.ts";
import { stopObject } from "../../support/instances.ts";
import { Log } from "../../support/log.ts";
import { json, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

describe("input", () => {
  /** The object stops while it applies an input that says so, before anything of the run is committed. */
  function graphThatStops(thread: TestThread, gate = new Gate()) {
    let stops = 1;
    const state = Annotation.Root({
      log: Annotation<readonly string[]>({
        reducer: (left, right) => {
          if (right.includes("stop") && stops-- > 0) stopObject(thread.id);
          return left.concat(right);
        },
        default: () => [],
      }),
    });
    return new StateGraph(state)
      .addNode("wait", async () => {
        await gate.pass();
        return { log: ["waited"] };
      })
      .addEdge(START, "wait")
      .addEdge("wait", END)
      .compile();
  }

  it("is applied once when the object stops before the first commit of a thread", async () => {
    const thread = new TestThread();
    const gate = new Gate();
    gate.open();
    deploy({ graph: graphThatStops(thread, gate) });
    const answer = await thread.invoke({ input: { log: ["stop"] } });
    expect(answer.values).toEqual({ log: ["stop", "waited"] });
  });

  it("is applied once when the object stops at the beginning of a queued run", async () => {
    const thread = new TestThread();
    const gate = new Gate();
    deploy({ graph: graphThatStops(thread, gate) });
    const first = thread.invoke({ input: { log: ["one"] } });
    await gate.reached();
    const second = thread.invoke({ input: { log: ["stop"] } });
    await thread.hasRuns(2);
    gate.open();
    expect((await first).values).toEqual({ log: ["one", "waited"] });
    expect((await second).values).toEqual({ log: ["one", "waited", "stop", "waited"] });
  });
});

describe("an answer on a branch", () => {
  it("is applied once when the object stops after the branch has begun", async () => {
    const gate = new Gate();
    let answered = 0;
    const graph = new StateGraph(Log)
      .addNode("ask", async () => {
        const given = String(interrupt("?"));
        answered += 1;
        if (answered === 2) await gate.pass();
        return { log: [given] };
      })
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const asked = await thread.invoke({ input: { log: ["in"] } });
    const id = asked.interrupts[0]?.id;
    await thread.resume({ interrupt_id: id, value: "first" });
    const resumed = thread.resume({
      interrupt_id: id,
      value: "second",
      checkpoint_id: asked.checkpoint_id,
    });
    await gate.reached();
    const before = await thread.rowCounts();
    await thread.crash();
    gate.open();
    expect((await resumed).values).toEqual({ log: ["in", "second"] });
    const after = await thread.rowCounts();
    expect(after["checkpoints"]).toBe((before["checkpoints"] ?? 0) + 1);
  });
});

describe("a run that continues from a checkpoint by name", () => {
  it("does not go back to it after a crash", async () => {
    const gate = new Gate();
    const runs = { first: 0, second: 0 };
    const graph = new StateGraph(Log)
      .addNode("first", () => {
        runs.first += 1;
        if (runs.first === 1) throw new Error("not yet");
        return { log: ["first"] };
      })
      .addNode("second", async () => {
        runs.second += 1;
        await gate.pass();
        return { log: ["second"] };
      })
      .addEdge(START, "first")
      .addEdge("first", "second")
      .addEdge("second", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await expect(thread.invoke({ input: { log: ["in"] } })).rejects.toMatchObject({ code: "node_failed" });
    const head = (await thread.state()).checkpoint.checkpoint_id;

    const answer = thread.invoke({ checkpoint_id: head });
    await gate.reached();
    await thread.crash();
    gate.open();
    expect((await answer).values).toEqual({ log: ["in", "first", "second"] });
    expect(runs).toEqual({ first: 2, second: 2 });
    const parents = (await thread.history()).map((state) => state.parent_checkpoint?.checkpoint_id);
    expect(new Set(parents).size).toBe(parents.length);
  });
});

describe("a run that gets nowhere", () => {
  it("is given up after some attempts, and the thread can be read and goes on", async () => {
    let stops = 0;
    let mood: "fails" | "stops" | "works" = "fails";
    const thread = new TestThread();
    const graph = new StateGraph(Log)
      .addNode("moody", async () => {
        if (mood === "fails") throw new Error("not yet");
        // The first time the run has been stored by then; afterwards it stops the object as soon as it is entered.
        if (mood === "stops" && stops++ === 0) await scheduler.wait(1);
        if (mood === "stops") stopObject(thread.id);
        return { log: ["worked"] };
      })
      .addEdge(START, "moody")
      .addEdge("moody", END)
      .compile();
    deploy({ graph });
    await expect(thread.invoke({ input: { log: ["in"] } })).rejects.toMatchObject({ code: "node_failed" });

    mood = "stops";
    await json(thread.post("/runs", {}));
    const lastRun = async () => ((await thread.get("/runs")) as [{ status: string; error: object }])[0];
    await until(async () => {
      await thread.fireAlarm().catch(() => undefined);
      return (await lastRun()).status === "error";
    });
    expect(await lastRun()).toMatchObject({ error: { code: "run_stalled", details: { attempts: 10 } } });
    expect(await thread.alarm()).toBeNull();
    expect(await thread.state()).toMatchObject({ values: { log: ["in"] }, next: ["moody"] });

    mood = "works";
    expect((await thread.invoke()).values).toEqual({ log: ["in", "worked"] });
  });
});

describe("a call that is made again with the id of its run", () => {
  it("gets the answer again and starts nothing", async () => {
    let runs = 0;
    const graph = new StateGraph(Log)
      .addNode("count", () => ({ log: [`run ${(runs += 1)}`] }))
      .addEdge(START, "count")
      .addEdge("count", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const answer = await thread.invoke({ input: { log: ["in"] } });
    await thread.evict();
    const again = await thread.startAgain(answer.run_id);
    expect(again).toEqual(answer);
    expect(runs).toBe(1);
  });
});

describe("a recursion limit", () => {
  it("counts on when the run is entered again", async () => {
    const thread = new TestThread();
    let executions = 0;
    const graph = new StateGraph(Log)
      .addNode("again", async () => {
        executions += 1;
        await scheduler.wait(1);
        if (executions === 6) stopObject(thread.id);
        return { log: ["again"] };
      })
      .addEdge(START, "again")
      .addConditionalEdges("again", () => "again")
      .compile();
    deploy({ graph });
    const start = thread.invoke({ input: { log: [] }, config: { recursion_limit: 10 } });
    await expect(start).rejects.toMatchObject({ code: "graph_recursion_limit" });
    // The one that was at work when the object stopped is done again.
    expect(executions).toBeGreaterThan(10);
    expect((await thread.state()).values).toEqual({ log: Array.from({ length: 10 }, () => "again") });
  });
});
