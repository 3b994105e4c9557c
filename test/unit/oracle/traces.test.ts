import { expect, it } from "vitest";
import { cases, type Case } from "./cases.ts";
import { ours, START, theirs, type Config, type Library, type Saver } from "./engine.ts";
import { functionalCases } from "./functional-cases.ts";
import { graphOf } from "./policy-cases.ts";
import { Session } from "./session.ts";
import { show } from "./show.ts";
import { subgraphCases } from "./subgraph-cases.ts";

/** What is handed to the saver, and in which order: the checkpoints with their new versions, the writes with their paths. */

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const OUTSIDE = "00000000-0000-0000-0000-";
/** Answers are stored otherwise, and edits not as writes: see docs/differences.md. */
const EDIT = "~__interrupt__";
const ANSWERS = new Set(["__resume__", "__interrupt__"]);

function recorded(saver: Saver, trace: unknown[]): Saver {
  const put = saver.put.bind(saver);
  const putWrites = saver.putWrites.bind(saver);
  const namespaceOf = (config: Config): unknown => config.configurable?.["checkpoint_ns"];
  saver.put = (config, checkpoint, ...rest) => {
    const [metadata, newVersions] = rest as [{ source: string; step: number }, Record<string, unknown>];
    const { source, step } = metadata;
    trace.push({
      put: namespaceOf(config),
      source,
      step,
      newVersions: Object.keys(newVersions).toSorted(byText),
    });
    return put(config, checkpoint, ...rest);
  };
  saver.putWrites = async (config, writes, taskId, taskPath) => {
    const own = writes.filter(([channel]) => !ANSWERS.has(channel));
    if (own.length > 0 && !taskId.startsWith(OUTSIDE) && !taskPath?.startsWith(EDIT))
      trace.push({
        writes: namespaceOf(config),
        task: taskPath,
        values: own.map(show).map(textOf).toSorted(byText),
      });
    await putWrites(config, writes, taskId, taskPath);
  };
  return saver;
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
/** LangGraph stores its class of a Send, we its plain form. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => (key === "lg_name" ? undefined : part));

async function traceOf(library: Library, { build, script }: Case): Promise<unknown> {
  const trace: unknown[] = [];
  await script(new Session(library, build, recorded(new library.MemorySaver(), trace)));
  return JSON.parse(JSON.stringify(trace).replaceAll(UUID, "<id>"));
}

/** a → b, which asks twice → c, which sends two → w. */
const reference: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("a", () => ({ sum: 1, log: ["a"] }))
      .addNode("b", () => ({ log: [library.interrupt("1"), library.interrupt("2")] }))
      .addNode(
        "c",
        () =>
          new library.Command({
            update: { log: ["c"] },
            goto: [new library.Send("w", { i: 0 }), new library.Send("w", { i: 1 })],
          }),
        { ends: ["w"] },
      )
      .addNode("w", (state) => ({ log: [`w${String(state["i"])}`] }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("b", "c"),
  script: async (thread) => {
    await thread.invoke({ sum: 5 });
    await thread.invoke(thread.command({ resume: "R1" }));
    await thread.invoke(thread.command({ resume: "R2" }));
  },
};

const all: Readonly<Record<string, Case>> = {
  "two questions, then Sends": reference,
  ...cases,
  ...functionalCases,
  ...subgraphCases,
};

// Where tasks run side by side, or a run goes back in time, the order is not fixed, or differs on purpose.
it.each([
  "a chain",
  "a loop and the recursion limit",
  "two questions, then Sends",
  "a graph as a node",
  "graphs in graphs",
  "an entrypoint with tasks",
  "an entrypoint that asks",
  "what an entrypoint keeps",
])("%s: the saver is given the same, in the same order, as in LangGraph", async (name) => {
  const found = all[name];
  if (found === undefined) throw new Error(name);
  const expected = await traceOf(theirs, found);
  expect(expected).not.toEqual([]);
  expect(await traceOf(ours, found)).toEqual(expected);
});
