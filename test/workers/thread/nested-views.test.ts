import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { allEvents, type ReceivedEvent } from "../../support/events.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { around, Runs, sequence } from "../../support/nested.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** What a caller sees of graphs inside nodes: their chunks in a stream, and their states. */

const uuid = "[0-9a-f]{8}-[0-9a-f-]{27}";
/** The graph that an event of the mode lifecycle is about, what it says, and with which error. */
function lifecycleOf(event: ReceivedEvent): readonly unknown[] | undefined {
  const [mode, ...namespace] = nameOf(event).split("|");
  const { event: what, error } = event.data as {
    readonly event: string;
    readonly error?: { readonly error: string };
  };
  return mode === "lifecycle" ? [namespace.join("|"), what, error?.error] : undefined;
}

async function lifecycles(thread: TestThread, modes: readonly string[] = ["lifecycle"]): Promise<unknown[]> {
  const body = { assistant_id: "graph", input: { log: [] }, stream_mode: modes };
  const events = await allEvents(await thread.post("/runs/stream", body));
  return events.map(lifecycleOf).filter((each) => each !== undefined);
}

/** The name of an event without the ids of tasks. */
const nameOf = ({ event }: ReceivedEvent): string => event.replaceAll(new RegExp(`:${uuid}`, "g"), ":id");

function twoDeep(runs: Runs, gate?: Gate) {
  const innermost = sequence({
    one: runs.step("one"),
    two: runs.step("two", () => gate?.pass()),
  });
  const inner = sequence({
    deep: async () => ({ log: (await innermost.invoke({ log: [] })).log }),
    ask: runs.step("ask", () => String(interrupt("?"))),
  });
  return around(runs, inner);
}

describe("a stream with subgraphs", () => {
  it("names the graph of each event by the nodes and tasks that lead to it", async () => {
    deploy({ graph: twoDeep(new Runs()) });
    const thread = new TestThread();
    const body = { input: { log: ["in"] }, stream_mode: "updates", stream_subgraphs: true };
    const events = await thread.stream(body);
    expect(events.map(nameOf)).toEqual([
      "metadata",
      "updates|nested:id|deep:id",
      "updates|nested:id|deep:id",
      "updates|nested:id",
      "updates|nested:id",
      "updates",
      "end",
    ]);
    expect(events.map(({ data }) => data)).toMatchObject([
      { thread_id: thread.id },
      { one: { log: ["one"] } },
      { two: { log: ["two"] } },
      { deep: { log: ["one", "two"] } },
      { __interrupt__: [{ value: "?" }] },
      { __interrupt__: [{ value: "?" }] },
      { status: "interrupted" },
    ]);
    const [task] = (await thread.state()).tasks;
    expect(events[3]?.event).toBe(`updates|nested:${task?.id}`);
  });

  it("has several modes at once, and without subgraphs only what a nested node writes itself", async () => {
    const runs = new Runs();
    deploy({ graph: around(runs, sequence({ one: runs.step("one") })) });
    const both = { input: { log: [] }, stream_mode: ["values", "updates"] };
    const names = async (body: Record<string, unknown>): Promise<string[]> =>
      (await new TestThread().stream(body)).map(nameOf);
    expect(await names({ ...both, stream_subgraphs: true })).toEqual([
      "metadata",
      "values",
      "values|nested:id",
      "updates|nested:id",
      "values|nested:id",
      "updates",
      "values",
      "updates",
      "values",
      "end",
    ]);
    expect(await names(both)).toEqual([
      "metadata",
      "values",
      "updates",
      "values",
      "updates",
      "values",
      "end",
    ]);
  });

  it("tells in the mode lifecycle where they begin and how they end, and nothing else of them", async () => {
    const runs = new Runs();
    deploy({ graph: twoDeep(runs) });
    const thread = new TestThread();
    const told = async (body: Record<string, unknown>): Promise<[name: string, data: unknown][]> => {
      const response = thread.post("/runs/stream", {
        assistant_id: "graph",
        stream_mode: "lifecycle",
        ...body,
      });
      const events = await allEvents(await response);
      return events.map((event) => [nameOf(event), event.data]);
    };
    const asked = await told({ input: { log: [] } });
    const [task] = (await thread.state()).tasks;
    expect(asked).toEqual([
      ["metadata", expect.anything()],
      ["lifecycle|nested:id", { event: "started", namespace: [`nested:${task?.id}`] }],
      ["lifecycle|nested:id|deep:id", expect.objectContaining({ event: "started" })],
      ["lifecycle|nested:id|deep:id", expect.objectContaining({ event: "completed" })],
      ["lifecycle|nested:id", { event: "interrupted", namespace: [`nested:${task?.id}`] }],
      ["end", expect.objectContaining({ status: "interrupted" })],
    ]);
    const answered = await told({ command: { resume: "!" } });
    expect(answered.slice(1, -1)).toEqual([
      ["lifecycle|nested:id", expect.objectContaining({ event: "started" })],
      ["lifecycle|nested:id", expect.objectContaining({ event: "completed" })],
    ]);
  });

  it("says of a graph that failed with what, beside other modes and to who joins the run later", async () => {
    const runs = new Runs();
    const fails = runs.step("one", () => {
      throw new RangeError("too far");
    });
    deploy({ graph: around(runs, sequence({ one: fails })) });
    const thread = new TestThread();
    const modes = ["updates", "events", "lifecycle"];
    const body = { assistant_id: "graph", input: { log: [] }, stream_mode: modes };
    const { run_id: id } = (await json(thread.post("/runs", body))) as { readonly run_id: string };
    await thread.join(id);
    const joined = await request(`${thread.path}/runs/${id}/stream?stream_mode=lifecycle`, {
      headers: { "last-event-id": "-1" },
    });
    const events = await allEvents(joined);
    expect(events.map((event) => [nameOf(event), event.data])).toMatchObject([
      ["metadata", {}],
      ["lifecycle|nested:id", { event: "started" }],
      ["lifecycle|nested:id", { event: "failed", error: { error: "RangeError", message: "too far" } }],
      ["error", {}],
    ]);
    const all = await allEvents(
      await request(`${thread.path}/runs/${id}/stream`, { headers: { "last-event-id": "-1" } }),
    );
    expect(new Set(all.map(nameOf))).toEqual(new Set(["metadata", "events", "lifecycle|nested:id", "error"]));
  });

  it("says how each graph of a node ended when it did, whatever the node makes of it", async () => {
    const runs = new Runs();
    const fails = sequence({
      one: runs.step("one", () => {
        throw new RangeError("too far");
      }),
    });
    const endless = new StateGraph(Log)
      .addNode("again", runs.step("again"))
      .addEdge(START, "again")
      .addEdge("again", "again")
      .compile();
    const works = sequence({ two: runs.step("two") });
    const graph = new StateGraph(Log)
      .addNode(
        "nested",
        async () => {
          await fails.invoke({ log: [] }).catch(() => undefined);
          await endless.invoke({ log: [] }, { recursionLimit: 2 }).catch(() => undefined);
          await works.invoke({ log: [] });
          throw new Error("the node itself");
        },
        { subgraphs: [fails, endless, works] },
      )
      .addEdge(START, "nested")
      .compile();
    deploy({ graph });
    expect(await lifecycles(new TestThread())).toEqual([
      ["nested:id", "started", undefined],
      ["nested:id", "failed", "RangeError"],
      ["nested:id|1", "started", undefined],
      ["nested:id|1", "failed", "GraphRecursionError"],
      ["nested:id|2", "started", undefined],
      ["nested:id|2", "completed", undefined],
    ]);
  });

  it("says of each attempt of a node how its graph ended", async () => {
    const runs = new Runs();
    const inner = sequence({
      one: runs.step("one", () => {
        if (runs.counts["one"] === 1) throw new RangeError("not yet");
      }),
    });
    const graph = new StateGraph(Log)
      .addNode("nested", async () => ({ log: (await inner.invoke({ log: [] })).log }), {
        subgraphs: [inner],
        retryPolicy: { initialInterval: 0.001, retryOn: () => true },
      })
      .addEdge(START, "nested")
      .addEdge("nested", END)
      .compile();
    deploy({ graph });
    expect(await lifecycles(new TestThread(), ["events", "lifecycle"])).toEqual([
      ["nested:id", "started", undefined],
      ["nested:id", "failed", "RangeError"],
      ["nested:id", "started", undefined],
      ["nested:id", "completed", undefined],
    ]);
  });

  it("goes on over a crash: finished nested steps are told of once", async () => {
    const gate = new Gate();
    const runs = new Runs();
    deploy({ graph: twoDeep(runs, gate) });
    const thread = new TestThread();
    const body = { input: { log: ["in"] }, stream_mode: "updates", stream_subgraphs: true };
    const response = await thread.post("/stream", body);
    await gate.reached();
    await thread.crash();
    gate.open();
    const events = await allEvents(response);
    const of = (name: string): number =>
      events.filter(({ data }) => typeof data === "object" && data !== null && name in data).length;
    expect([of("one"), of("two"), of("deep"), of("__interrupt__")]).toEqual([1, 1, 1, 2]);
    expect(events.at(-1)).toMatchObject({ event: "end", data: { status: "interrupted" } });
    expect(runs.counts).toEqual({ one: 1, two: 2, ask: 1 });
  });
});

describe("a state with subgraphs", () => {
  it("has the states of the graphs in its tasks, warm and cold, at the head and at a checkpoint by its id", async () => {
    deploy({ graph: twoDeep(new Runs()) });
    const thread = new TestThread();
    const { checkpoint_id: id } = await thread.invoke({ input: { log: ["in"] } });
    const nested = {
      values: { log: ["one", "two"] },
      next: ["ask"],
      interrupts: [{ value: "?" }],
      tasks: [{ name: "ask", interrupts: [{ value: "?" }], checkpoint: null, state: null }],
      metadata: { source: "loop", step: 1, parents: { "": id } },
    };
    const read = await thread.state(undefined, "?subgraphs=true");
    const [task] = read.tasks;
    expect(task).toMatchObject({
      name: "nested",
      interrupts: [{ value: "?" }],
      checkpoint: null,
      state: nested,
    });
    expect(task?.state?.checkpoint).toMatchObject({
      thread_id: thread.id,
      checkpoint_ns: `nested:${task?.id}`,
    });
    await thread.evict();
    expect(await thread.state(undefined, "?subgraphs=true")).toEqual(read);
    const byId = await thread.state(id, "?subgraphs=true");
    expect(byId.tasks[0]?.state).toMatchObject(nested);
  });

  it("says without subgraphs where those states are", async () => {
    deploy({ graph: twoDeep(new Runs()) });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    for (const query of ["", "?subgraphs=false"]) {
      const [task] = (await thread.state(undefined, query)).tasks;
      expect(task).toMatchObject({
        state: null,
        checkpoint: { thread_id: thread.id, checkpoint_ns: `nested:${task?.id}` },
      });
    }
  });

  it("refuses a flag that is none", async () => {
    deploy({ graph: twoDeep(new Runs()) });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    await expect(thread.state(undefined, "?subgraphs=yes")).rejects.toMatchObject({
      status: 400,
      code: "invalid_request",
    });
  });
});
