import { expect, it } from "vitest";
import { END, ours, START, theirs, type Compiled, type Library, type NodeConfig } from "./engine.ts";
import { graphOf } from "./policy-cases.ts";

/** What nodes, chunks and drawings say of a run and its tasks: the same in both engines. */

const call = {
  configurable: { thread_id: "t", user: "u" },
  metadata: { tenant: "acme", thread_id: "mine" },
  tags: ["a tag", "seq:step:1"],
  runName: "a run",
  runId: "00000000-0000-4000-8000-000000000001",
};

function build(library: Library, note: (name: string, config: NodeConfig) => void): Compiled {
  const inner = graphOf(library)
    .addNode(
      "in",
      (_, config) => {
        note("in", config);
        return {};
      },
      { metadata: { inside: true } },
    )
    .addEdge(START, "in")
    .compile({ name: "Inner" });
  return graphOf(library)
    .addNode(
      "a",
      (_, config) => {
        note("a", config);
        return {};
      },
      { metadata: { team: 1, tenant: "the node's" } },
    )
    .addNode("inner", inner)
    .addEdge(START, "a")
    .addEdge("a", "inner")
    .addEdge("inner", END)
    .compile({ checkpointer: new library.MemorySaver() });
}

/** LangGraph names itself to its tracing, and its nodes to LangChain: see docs/differences.md. */
function withoutOwn(metadata: unknown): unknown {
  const { ls_integration: _, ...rest } = metadata as Record<string, unknown>;
  return rest;
}

/** Without what differs from run to run. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id"));
}

async function seenBy(library: Library, options: object): Promise<unknown> {
  const configs: unknown[] = [];
  const graph = build(library, (name, config) => {
    const { metadata, tags, recursionLimit, runId } = config;
    configs.push(plain([name, withoutOwn(metadata), tags, recursionLimit, runId ?? null]));
  });
  const tasks: unknown[] = [];
  for await (const chunk of await graph.stream({}, { ...options, streamMode: "tasks", subgraphs: true })) {
    const [, { name, metadata }] = chunk as [unknown, { name: string; metadata?: object }];
    tasks.push([name, withoutOwn(metadata ?? {})]);
  }
  return { configs, tasks };
}

it.each([
  ["a call that says much", call],
  ["a call that says nothing", { configurable: { thread_id: "t" } }],
])("%s: nodes and tasks' chunks have the same metadata", async (_, options) => {
  const here = await seenBy(ours, options);
  expect(here).toEqual(await seenBy(theirs, options));
  expect(JSON.stringify(here)).toContain('"inside":true');
});

it("a drawing as JSON names the graphs in nodes", () => {
  const namesOf = (library: Library): unknown => {
    const graph = build(library, () => undefined) as unknown as {
      getGraph(): { toJSON(): { nodes: { id: string; data: { name?: string; id?: unknown } }[] } };
    };
    return graph
      .getGraph()
      .toJSON()
      .nodes.map(({ id, data }) => [id, data.name]);
  };
  expect(namesOf(ours)).toEqual([
    [START, undefined],
    ["a", "a"],
    ["inner", "Inner"],
    [END, undefined],
  ]);
  expect(namesOf(ours)).toEqual(namesOf(theirs));
});
