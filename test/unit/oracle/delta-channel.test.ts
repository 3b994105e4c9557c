import { DeltaChannel as TheirDelta } from "@langchain/langgraph/channels";
import { describe, expect, it } from "vitest";
import { DeltaChannel as OurDelta } from "tidemark/channels";
import { ours, START, theirs, type Builder, type Library, type Saver } from "./engine.ts";
import { compare, Session } from "./session.ts";

const reducer = (value: unknown[], writes: unknown[]): unknown[] => [...value, ...writes.flat()];

function graphOf(library: Library): Builder {
  const log =
    library === ours ? new OurDelta(reducer) : () => new TheirDelta(reducer, { snapshotFrequency: 3 });
  return new library.StateGraph(library.Annotation.Root({ log, sum: library.Annotation() }))
    .addNode("a", () => ({ log: ["a"] }))
    .addNode("b", () => ({ log: ["b"] }))
    .addNode("c", (state) => ({ log: [JSON.stringify(state["log"])] }))
    .addNode("over", () => ({ log: new library.Overwrite(["over"]) }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("a", "c")
    .addConditionalEdges("c", (state) => (state["sum"] === 1 ? "over" : "__end__"), ["over", "__end__"]);
}

async function play(session: Session): Promise<unknown> {
  for (const sum of [0, 1, 0]) await session.invoke({ log: [`in${sum}`], sum });
  await session.update({ log: ["patch"] }, "b");
  return [session.record.map(valuesOf), (await session.history()).map(({ values }) => values["log"])];
}

function valuesOf(entry: unknown): unknown {
  const { state } = entry as { state?: { values?: { log?: unknown } } };
  return state?.values?.log;
}

const begin = (library: Library, saver: Saver): Session => new Session(library, graphOf, saver);

it("values, states and histories: as in LangGraph", async () => {
  const script = async (session: Session): Promise<void> => {
    await play(session);
  };
  const result = await compare(graphOf, script);
  const steps = (of: unknown): unknown => (of as { steps: unknown }).steps;
  expect(steps(result.ours)).toEqual(steps(result.theirs));
});

it("LangGraph on this MemorySaver", async () => {
  expect(await play(begin(theirs, new ours.MemorySaver()))).toEqual(
    await play(begin(theirs, new theirs.MemorySaver())),
  );
});

describe.each([
  ["LangGraph's saver", () => new theirs.MemorySaver()],
  ["this saver", () => new ours.MemorySaver()],
])("on %s", (_, makeSaver) => {
  it("a thread that LangGraph has begun goes on here", async () => {
    const saver = makeSaver();
    const first = begin(theirs, saver);
    await play(first);
    const logs = async (session: Session) => (await session.history()).map(({ values }) => values["log"]);
    const second = begin(ours, saver);
    expect(await logs(second)).toEqual(await logs(first));
    await second.invoke({ log: ["more"] });
    const third = begin(theirs, makeSaver());
    await play(third);
    await third.invoke({ log: ["more"] });
    expect(valuesOf(second.record.at(-1))).toEqual(valuesOf(third.record.at(-1)));
  });
});
