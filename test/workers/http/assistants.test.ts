import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { END, START, StateGraph } from "../../../src/index.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";

const inner = new StateGraph(z.object({ topic: z.string() }))
  .addNode("think", () => ({}))
  .addNode("write", () => ({}))
  .addEdge(START, "think")
  .addEdge("think", "write")
  .addEdge("write", END)
  .compile();

const writer = new StateGraph(z.object({ topic: z.string() }))
  .addNode("inner", inner)
  .addEdge(START, "inner")
  .addEdge("inner", END)
  .compile();

beforeAll(() => {
  deploy({ writer, inner });
  announcing.isOn = true;
  return () => {
    announcing.isOn = false;
  };
});

interface WireAssistant {
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly version: number;
  readonly name: string;
}

/** What the directory knows of the threads of an assistant. */
function threadsOf(assistant: string): Promise<unknown> {
  return json(
    request("/threads/search", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { assistant_id: assistant }, select: ["thread_id"] }),
    }),
  );
}

function send(method: string, path: string, body?: unknown): Promise<unknown> {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return json(request(`/assistants${path}`, { method, ...init }));
}

async function create(body: Record<string, unknown>): Promise<WireAssistant> {
  return (await send("POST", "", { graph_id: "writer", ...body })) as WireAssistant;
}

async function names(body: Record<string, unknown>): Promise<readonly string[]> {
  const found = (await send("POST", "/search", {
    sort_by: "name",
    sort_order: "asc",
    ...body,
  })) as WireAssistant[];
  return found.map(({ name }) => name);
}

describe("the assistant that a graph has by itself", () => {
  it("has the id that LangGraph's clients know, and is found by the graph's name too", async () => {
    deploy({ agent: writer });
    const agent = (await send("GET", "/agent")) as WireAssistant;
    expect(agent).toMatchObject({
      assistant_id: "fe096781-5601-53d2-b2f6-0d3403f7e9ca",
      graph_id: "agent",
      name: "agent",
      version: 1,
      metadata: { created_by: "system" },
    });
    expect(await send("GET", `/${agent.assistant_id}`)).toEqual(agent);
    deploy({ writer, inner });
    await expect(send("GET", "/agent")).rejects.toMatchObject({
      status: 404,
      code: "assistant_not_found",
      message: expect.stringMatching(/"agent".*writer, inner/),
    });
  });

  it("can be changed, and becomes again what it was when it is deleted", async () => {
    const patched = await send("PATCH", "/inner", {
      config: { recursion_limit: 5 },
      metadata: { team: "a" },
    });
    expect(patched).toMatchObject({ version: 2, metadata: { created_by: "system", team: "a" } });
    expect(await send("GET", "/inner")).toEqual(patched);
    expect(await send("POST", "/inner/versions", {})).toMatchObject([
      { version: 2 },
      { version: 1, config: {} },
    ]);
    await send("DELETE", "/inner");
    expect(await send("GET", "/inner")).toMatchObject({ version: 1, config: {} });
  });
});

describe("an assistant", () => {
  it("is made once, in versions of which one counts", async () => {
    const made = await create({ name: "Essays", context: { tone: "dry" } });
    expect(made).toMatchObject({ graph_id: "writer", version: 1, context: { tone: "dry" }, config: {} });
    const { assistant_id: id } = made;
    await expect(create({ assistant_id: id })).rejects.toMatchObject({
      status: 409,
      code: "assistant_exists",
    });
    expect(await create({ assistant_id: id, if_exists: "do_nothing" })).toEqual(made);
    expect(await send("PATCH", `/${id}`, { context: { tone: "warm" } })).toMatchObject({ version: 2 });
    expect(await send("POST", `/${id}/latest`, { version: 1 })).toMatchObject({
      version: 1,
      context: { tone: "dry" },
    });
    // The version after the newest, not after the one that counts.
    expect(await send("PATCH", `/${id}`, { name: "Poems" })).toMatchObject({
      version: 3,
      name: "Poems",
      context: { tone: "dry" },
    });
    // What is empty is said all the same.
    expect(await send("PATCH", `/${id}`, { description: "In verse" })).toMatchObject({ name: "Poems" });
    expect(await send("PATCH", `/${id}`, { name: "", description: "" })).toMatchObject({
      name: "",
      description: "",
    });
    const unknown = { status: 404, code: "assistant_not_found" };
    await expect(send("POST", `/${id}/latest`, { version: 9 })).rejects.toMatchObject({
      ...unknown,
      message: expect.stringContaining(`The assistant "${id}" has no version 9.`),
    });
    await send("DELETE", `/${id}`);
    await expect(send("GET", `/${id}`)).rejects.toMatchObject(unknown);
    await expect(send("DELETE", `/${id}`)).rejects.toMatchObject(unknown);
  });

  it.for([
    { config: { recursion_limit: "abc" } },
    { config: { recursion_limit: 0 } },
    { config: { configurable: "xyz" } },
    { config: { tags: 5 } },
    { assistant_id: "writer" },
    { name: "x".repeat(257) },
  ])("is not made of %o", async (body) => {
    await expect(create(body)).rejects.toMatchObject({ status: 400, code: "invalid_request" });
  });

  it("is deleted together with its threads, when that is wanted", async () => {
    const { assistant_id: id } = await create({});
    const { assistant_id: other } = await create({});
    const run = async (assistant: string) => {
      const thread = new TestThread();
      await json(thread.post("/runs/wait", { assistant_id: assistant, input: { topic: "tea" } }));
      return thread;
    };
    const [first, second, kept] = [await run(id), await run(id), await run(other)];
    await send("DELETE", `/${other}?delete_threads=false`);
    await expect.poll(() => threadsOf(id)).toHaveLength(2);
    await send("DELETE", `/${id}?delete_threads=true`);
    for (const thread of [first, second])
      await expect(thread.get("")).rejects.toMatchObject({ code: "thread_not_found" });
    await expect(kept.get("")).resolves.toMatchObject({ status: "idle" });
    await expect(send("GET", `/${id}`)).rejects.toMatchObject({ code: "assistant_not_found" });
  });

  it("keeps its hundred newest versions, which are found by their metadata", async () => {
    const { assistant_id: id } = await create({});
    for (let n = 2; n <= 102; n++) await send("PATCH", `/${id}`, { metadata: { n } });
    const versions = (body: object) => send("POST", `/${id}/versions`, { limit: 1000, ...body });
    expect((await versions({})) as unknown[]).toHaveLength(100);
    expect(await versions({ metadata: { n: 50 } })).toMatchObject([{ version: 50 }]);
    expect(await versions({ metadata: { n: 2 } })).toEqual([]);
  });

  it("needs a graph that there is", async () => {
    for (const attempt of [
      create({ graph_id: "nobody" }),
      send("PATCH", "/writer", { graph_id: "nobody" }),
    ]) {
      await expect(attempt).rejects.toMatchObject({ status: 404, code: "unknown_graph" });
    }
  });

  it("is found by graph, name and metadata, page by page", async () => {
    const tag = crypto.randomUUID();
    for (const name of ["B two", "a One", "c three"]) await create({ name, metadata: { tag } });
    expect(await names({ metadata: { tag } })).toEqual(["B two", "a One", "c three"]);
    expect(await names({ metadata: { tag }, name: "ONE" })).toEqual(["a One"]);
    expect(await names({ metadata: { tag }, graph_id: "inner" })).toEqual([]);
    expect(await names({ metadata: { tag }, limit: 1, offset: 1 })).toEqual(["a One"]);
    expect(await send("POST", "/count", { metadata: { tag } })).toBe(3);
    expect(await names({ metadata: { created_by: "system" } })).toEqual(["inner", "writer"]);
  });
});

describe("the graph of an assistant", () => {
  it("is drawn, with the graphs inside its nodes when asked", async () => {
    const ids = async (query: string) => {
      const { nodes } = (await send("GET", `/writer/graph${query}`)) as { nodes: { id: string }[] };
      return nodes.map(({ id }) => id);
    };
    expect(await ids("")).toEqual(["__start__", "inner", "__end__"]);
    expect(await ids("?xray=true")).toContain("inner:think");
    expect(await ids("?xray=1")).toContain("inner:think");
    await expect(ids("?xray=deep")).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("says its schemas, and those of the graphs inside", async () => {
    const state = { type: "object", properties: { topic: { type: "string" } } };
    const schemas = { graph_id: "writer", state_schema: state, input_schema: { type: "object" } };
    expect(await send("GET", "/writer/schemas")).toMatchObject(schemas);
    expect(await send("GET", "/writer/subgraphs")).toMatchObject({
      inner: { graph_id: "writer", state_schema: state },
    });
    expect(await send("GET", "/writer/subgraphs/other")).toEqual({});
  });
});
