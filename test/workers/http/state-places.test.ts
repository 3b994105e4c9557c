import { beforeAll, describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { json, TestThread, type WireCheckpoint, type WireState } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const inner = new StateGraph(Log)
  .addNode("first", () => ({ log: ["first"] }))
  .addNode("ask", () => ({ log: [String(interrupt("Name?"))] }))
  .addEdge(START, "first")
  .addEdge("first", "ask")
  .addEdge("ask", END)
  .compile();

const outer = new StateGraph(Log)
  .addNode("before", () => ({ log: ["before"] }))
  .addNode("inner", inner)
  .addEdge(START, "before")
  .addEdge("before", "inner")
  .addEdge("inner", END)
  .compile();

const thread = new TestThread();
let namespace = "";

async function post<Result>(path: string, body: unknown): Promise<Result> {
  return (await json(thread.post(path, body))) as Result;
}

function history(body: Record<string, unknown>): Promise<readonly WireState[]> {
  return post("/history", body);
}

beforeAll(async () => {
  deploy({ outer });
  await thread.invoke({ input: { log: ["in"] }, config: { metadata: { campaign: "spring" } } });
  const { tasks } = await thread.state();
  namespace = tasks[0]?.checkpoint?.checkpoint_ns ?? "";
});

describe("a state", () => {
  it("is read where its checkpoint says, that of a graph inside a node too", async () => {
    const read = (checkpoint: Record<string, unknown>, rest = {}) =>
      post<WireState>("/state/checkpoint", { checkpoint, ...rest });
    expect(await read({})).toEqual(await thread.state());
    const nested = await read({ checkpoint_ns: namespace });
    expect(nested).toMatchObject({ values: { log: ["in", "before", "first"] }, next: ["ask"] });
    expect(nested.checkpoint.checkpoint_ns).toBe(namespace);
    const [, older] = await history({ checkpoint: { checkpoint_ns: namespace } });
    expect(older).toBeDefined();
    const { checkpoint_id: id, checkpoint_ns: ns } = older?.checkpoint ?? {};
    expect(await read({ checkpoint_id: id, checkpoint_ns: ns })).toMatchObject({ values: older?.values });
    expect(await read({}, { subgraphs: true })).toEqual(await thread.state(undefined, "?subgraphs=true"));
    await expect(read({ checkpoint_id: id })).rejects.toMatchObject({ code: "checkpoint_not_found" });
  });

  it("shows the parts that are asked for", async () => {
    expect(await thread.get("/state?select=next&select=values.log")).toEqual({
      next: ["inner"],
      values: { log: ["in", "before"] },
    });
    expect(await thread.get("/state?select=values.nothing")).toEqual({ values: {} });
    expect(await history({ limit: 1, select: ["next"] })).toEqual([{ next: ["inner"] }]);
    await expect(thread.get("/state?select=secrets")).rejects.toMatchObject({ status: 400 });
  });

  it("is edited where its checkpoint says", async () => {
    const edited = await post<{ checkpoint: WireCheckpoint }>("/state", {
      values: { log: ["edited"] },
      as_node: "first",
      checkpoint: { checkpoint_ns: namespace },
    });
    expect(edited.checkpoint.checkpoint_ns).toBe(namespace);
    const nested = await post<WireState>("/state/checkpoint", { checkpoint: edited.checkpoint });
    expect(nested.values).toEqual({ log: ["in", "before", "first", "edited"] });
  });
});

describe("a history", () => {
  it("goes on before a checkpoint, in each form that clients send", async () => {
    const [newest, ...rest] = await history({});
    const id = newest?.checkpoint.checkpoint_id;
    for (const before of [id, newest?.checkpoint, { configurable: newest?.checkpoint }]) {
      expect(await history({ before })).toEqual(rest);
    }
    expect(await history({ before: null, checkpoint: null, metadata: null })).toEqual([newest, ...rest]);
  });

  it("can be that of what its metadata says", async () => {
    const steps = async (metadata: object) =>
      (await history({ metadata })).map((state) => state.metadata?.["step"]);
    expect(await steps({ campaign: "spring", step: 0 })).toEqual([0]);
    expect(await steps({ campaign: "autumn" })).toEqual([]);
  });
});
