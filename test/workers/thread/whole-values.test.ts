import { afterEach, describe, expect, it, vi } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { identifiedEvents } from "../../support/events.ts";
import { Gate } from "../../support/gate.ts";
import { json, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

interface Line {
  readonly id: string;
  readonly text: string;
}

const line = (name: string | number): Line => ({
  id: `${name}`,
  text: `line ${name} `.padEnd(300, "lorem "),
});

/** One node, again and again, that returns all of a value with something new in it. */
function growing<Value>(first: Value, next: (value: Value, name: number) => Value) {
  const State = Annotation.Root({ all: Annotation<Value>(), left: Annotation<number>() });
  return new StateGraph(State)
    .addNode("grow", ({ all, left }) => ({ all: next(all ?? first, left), left: left - 1 }))
    .addEdge(START, "grow")
    .addConditionalEdges("grow", ({ left }) => (left > 0 ? "grow" : END))
    .compile();
}

/** The rows of tasks in their order, in bytes. */
async function written(thread: TestThread): Promise<number[]> {
  const statement = "SELECT length(body) AS bytes FROM writes ORDER BY checkpoint, task";
  return (await thread.sql<{ bytes: number }>(statement)).map(({ bytes }) => bytes);
}

afterEach(() => {
  vi.useRealTimers();
});

describe("what a node has written that returns all of a long value", { timeout: 120_000 }, () => {
  it.each([
    ["a list, with one more", 1000, growing<Line[]>([], (all, name) => [...all, line(name)])],
    ["a list, built anew", 300, growing<Line[]>([], (all, name) => structuredClone([...all, line(name)]))],
    [
      "a list in an object",
      300,
      growing({ log: [] as Line[], last: 0 }, ({ log }, last) => ({ log: [line(last), ...log], last })),
    ],
    [
      "an object",
      300,
      growing<Record<string, Line>>({}, (all, name) => ({ ...all, [`key ${name}`]: line(name) })),
    ],
  ])("takes as many bytes at the end as after 10 supersteps: %s, after %i", async (_, supersteps, graph) => {
    deploy({ graph });
    const thread = new TestThread();
    const { values } = await thread.invoke({
      input: { left: supersteps },
      config: { recursion_limit: 2 * supersteps },
    });
    const bytes = await written(thread);
    const [early, late] = [Math.max(...bytes.slice(10, 20)), Math.max(...bytes.slice(-100))];
    expect(bytes).toHaveLength(supersteps + 1);
    expect(late).toBeLessThan(1.1 * early);
    await thread.evict();
    const [, before] = await thread.history("?limit=2");
    expect(before?.tasks[0]?.result).toEqual({ all: values["all"], left: 0 });
  });

  it("is told whole by the next attempt where the one before it had told nobody", async () => {
    // Time stands still: only the first supersteps are told at once, and the others wait.
    vi.useFakeTimers({ toFake: ["Date"] });
    const gate = new Gate();
    const State = Annotation.Root({ all: Annotation<Line[]>(), left: Annotation<number>() });
    const graph = new StateGraph(State)
      .addNode("grow", async ({ all, left }) => {
        if (left === 1) await gate.pass();
        return { all: [...all, line(left)], left: left - 1 };
      })
      .addEdge(START, "grow")
      .addConditionalEdges("grow", ({ left }) => (left > 0 ? "grow" : END))
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const run = { assistant_id: "graph", input: { all: [], left: 20 }, stream_mode: "updates" };
    const { run_id } = (await json(thread.post("/runs", run))) as { run_id: string };
    await gate.reached();
    await thread.inside(({ storage }) => storage.sync());
    await thread.crash();
    gate.open();
    const events = await identifiedEvents(await thread.join(run_id));
    const all = Array.from({ length: 20 }, (_, index) => line(20 - index));
    const told = events.filter(({ event }) => event === "updates").map(({ data }) => data);
    expect(told).toEqual(all.map((_, n) => ({ grow: { all: all.slice(0, n + 1), left: 19 - n } })));
    expect(events.at(-2)?.id).toMatch(/^2-/u);
  });

  it("is there when another node has been waited for", async () => {
    const State = Annotation.Root({ all: Annotation<Line[]>(), said: Annotation<string>() });
    let calls = 0;
    const graph = new StateGraph(State)
      .addNode("grow", ({ all }) => (calls++, { all: [...all, line("new")] }))
      .addNode("ask", () => ({ said: String(interrupt("?")) }))
      .addEdge(START, "grow")
      .addEdge(START, "ask")
      .addEdge("grow", END)
      .addEdge("ask", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const all = Array.from({ length: 100 }, (_, index) => line(index));
    const paused = await thread.invoke({ input: { all } });
    // All but the first, in which the input is.
    expect(Math.max(...(await written(thread)).slice(1))).toBeLessThan(1000);
    await thread.evict();
    const done = await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes" });
    expect(done.values).toEqual({ all: [...all, line("new")], said: "yes" });
    expect(calls).toBe(1);
  });
});
