import { describe, expect, it } from "vitest";
import { cases, type Case } from "./cases.ts";
import { ours, theirs, type Library, type Saver } from "./engine.ts";
import { Session } from "./session.ts";

/** Either engine works on the other's saver, and can take over a thread that the other has begun. */

const scripts = [
  "a chain",
  "a node that fails beside another",
  "two questions of one node",
  "questions of parallel nodes, answered by id",
  "older checkpoints",
  "updates from outside",
  "Sends in the order of sending",
];

async function played(name: string, engine: Library, saver: Saver): Promise<unknown> {
  const found = caseOf(name);
  const session = new Session(engine, found.build, saver);
  await found.script(session);
  return (await session.history()).map(({ values, next, metadata, tasks }) => ({
    values,
    next,
    source: metadata?.source,
    step: metadata?.step,
    tasks: tasks.map((task) => ({ name: task.name, result: task.result })),
  }));
}

function caseOf(name: string): Case {
  const found = cases[name];
  if (found === undefined) throw new Error(name);
  return found;
}

it.each(scripts)("%s: this engine on LangGraph's MemorySaver", async (name) => {
  expect(await played(name, ours, new theirs.MemorySaver())).toEqual(
    await played(name, ours, new ours.MemorySaver()),
  );
});

it.each(scripts)("%s: LangGraph on this MemorySaver", async (name) => {
  expect(await played(name, theirs, new ours.MemorySaver())).toEqual(
    await played(name, theirs, new theirs.MemorySaver()),
  );
});

describe.each([
  ["LangGraph", theirs, "Tidemark", ours],
  ["Tidemark", ours, "LangGraph", theirs],
] as const)("a thread that %s has begun", (_, before, after, next) => {
  it(`and that waits for an answer goes on under ${after}`, async () => {
    const { build } = caseOf("an update of a paused thread");
    const first = new Session(before, build, new theirs.MemorySaver());
    await first.invoke({ log: ["in"] });
    const second = new Session(next, build, first.saver);
    await second.invoke(second.command({ resume: "yes" }));
    expect(second.record.at(-1)).toMatchObject({
      state: { values: { log: ["in", "yes", "other", "z"] }, next: [], source: "loop", step: 2 },
    });
    expect(second.counters.counts.get("other")).toBeUndefined();
  });

  it(`and that has failed half way goes on under ${after}`, async () => {
    const { build } = caseOf("a node that fails beside another");
    const first = new Session(before, build, new theirs.MemorySaver());
    await first.invoke({ log: ["in"] });
    const second = new Session(next, build, first.saver);
    second.counters.count("bad");
    await second.invoke(null);
    expect(second.record.at(-1)).toMatchObject({
      state: { values: { log: ["in", "bad", "ok", "after"] }, next: [] },
    });
    expect(second.counters.counts.get("ok")).toBeUndefined();
  });
});

it("a thread that waits for several answers under LangGraph is answered here by its own ids", async () => {
  const { build } = caseOf("questions of parallel nodes, answered by id");
  const first = new Session(theirs, build, new theirs.MemorySaver());
  await first.invoke({ log: ["in"] });
  const second = new Session(ours, build, first.saver);
  expect(await second.questions()).toEqual(await first.questions());
  await second.answer([undefined, "Q"]);
  await second.answer(["P"]);
  expect(second.record.at(-1)).toMatchObject({
    state: { values: { log: ["in", "done", "P", "Q", "join"] }, next: [], source: "loop", step: 2 },
  });
});
