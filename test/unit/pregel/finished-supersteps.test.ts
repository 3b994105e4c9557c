import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Command, MemorySaver, Send, START, StateGraph, StateSchema, task, UntrackedValue } from "tidemark";
import { z } from "zod";
import type { CheckpointTuple } from "../../../src/checkpoint/types.ts";
import type { RunOptions } from "../../../src/pregel/pregel-options.ts";
import type { RunInput } from "../../../src/pregel/run-input.ts";
import type { RunnableGraph } from "../../../src/pregel/runnable-graph.ts";
import type { StreamEvent, StreamMode } from "../../../src/pregel/types.ts";
import { search } from "../../support/search.ts";
import { ours } from "../oracle/engine.ts";
import { buildOf, plan } from "../oracle/generated.ts";
import { Counters } from "../oracle/session.ts";
import { chain, State } from "./support.ts";

const DERIVED: readonly StreamMode[] = ["values", "updates", "tasks", "checkpoints", "debug"];
const MODES = new Set<StreamMode>([...DERIVED, "custom"]);

/** A checkpoint of the graph itself, and how many events had come before it was stored. */
interface Mark {
  readonly id: string;
  readonly events: number;
}

class WatchedSaver extends MemorySaver {
  marks: Mark[] = [];
  readonly events: StreamEvent[] = [];

  override put(...args: Parameters<MemorySaver["put"]>) {
    const [config, checkpoint] = args;
    if (config.configurable?.checkpoint_ns === "")
      this.marks.push({ id: checkpoint.id, events: this.events.length });
    return super.put(...args);
  }
}

/** One run: what it said of each superstep that it finished, and what is said of these from what is stored. */
async function saidTwice(graph: RunnableGraph, saver: WatchedSaver, input: RunInput) {
  const options = {
    configurable: { thread_id: "t" },
    checkpointer: saver,
    modes: MODES,
    recursionLimit: 6,
    onInterrupted: "discard" as const,
  };
  saver.marks = [];
  const outcome = await graph.run(input, { ...options, emit: (event) => saver.events.push(event) });
  const [first, ...others] = saver.marks;
  if (first === undefined) return { outcome, live: [], derived: [] };
  const live = others.map(({ id, events }, index) => ({
    id,
    said: shown(saver.events.slice(saver.marks[index]?.events, events)),
  }));
  const emitted: StreamEvent[] = [];
  const derived = [];
  const emit = (event: StreamEvent): void => void emitted.push(event);
  const line = await lineOf(saver);
  for (const { checkpointId: id, tell } of graph.finishedSupersteps(line, first.id, { ...options, emit })) {
    await tell();
    derived.push({ id, said: shown(emitted.splice(0)) });
  }
  return { outcome, live, derived };
}

/** As it goes over the wire; without the time at which it is said. */
function shown(events: readonly StreamEvent[]): string[] {
  const own = events.filter(
    ({ mode, namespace, isUnstored }) => DERIVED.includes(mode) && namespace === undefined && !isUnstored,
  );
  return own.map(({ mode, payload }) =>
    JSON.stringify([mode, payload], (key, value: unknown) => (key === "timestamp" ? undefined : value)),
  );
}

/** Tasks side by side end in any order. */
function inOneOrder(supersteps: readonly { readonly id: string; readonly said: readonly string[] }[]) {
  return supersteps.map(({ id, said }) => ({ id, said: said.toSorted() }));
}

async function expectSame(graph: RunnableGraph, saver: WatchedSaver, input: RunInput, isOrdered = false) {
  const { outcome, live, derived } = await saidTwice(graph, saver, input);
  if (isOrdered) expect(derived).toEqual(live);
  else expect(inOneOrder(derived)).toEqual(inOneOrder(live));
  return outcome;
}

const { numRuns, ...searched } = search({ short: 150, long: 3000 });

it(`is said of ${numRuns} random graphs as it was said`, { timeout: 20_000 + numRuns * 100 }, async () => {
  let supersteps = 0;
  await fc.assert(
    fc.asyncProperty(plan, async (planned) => {
      const saver = new WatchedSaver();
      const compiled = buildOf(planned.graph)(ours, new Counters(), saver).compile({});
      const graph = compiled as unknown as RunnableGraph;
      let outcome = await expectSame(graph, saver, { kind: "input", value: { sum: 0 } });
      for (let rounds = 0; rounds < 3 && outcome.status === "interrupted"; rounds++) {
        supersteps += saver.marks.length;
        const answers = new Map(outcome.interrupts.map(({ id }) => [id, "answer"]));
        outcome = await expectSame(graph, saver, { kind: "answers", answers });
      }
      supersteps += saver.marks.length;
    }),
    { numRuns, ...searched },
  );
  expect(supersteps).toBeGreaterThan(numRuns);
});

it("is said in the same order where no tasks are side by side", async () => {
  const graph = new StateGraph(State)
    .addNode("plan", () => ({ log: ["plan"], v: { b: 1, a: new Date(0), none: undefined } }))
    .addNode("quiet", () => undefined)
    .addNode("go", () => new Command({ goto: new Send("work", { n: 1 }), update: { sum: 2 } }), {
      ends: ["work"],
    })
    .addNode("work", (args: unknown) => ({ log: [args] }))
    .addNode("risky", () => Promise.reject(new RangeError("no luck")), {
      errorHandler: (_, { error }) => ({ log: [String(error)] }),
    })
    .addEdge(START, "plan")
    .addEdge("plan", "quiet")
    .addEdge("quiet", "go")
    .addEdge("work", "risky")
    .compile();
  const saver = new WatchedSaver();
  const outcome = await expectSame(graph, saver, { kind: "input", value: { v: 0 } }, true);
  expect(outcome.status).toBe("success");
  expect(saver.marks).toHaveLength(7);
  await expectSame(graph, saver, { kind: "input", value: { v: 1 } }, true);
});

it("is not said again of the values that a superstep has left as they were", async () => {
  const graph = chain({
    a: () => ({ log: ["a"] }),
    quiet: () => ({}),
    b: () => ({ log: ["b"] }),
  }).compile();
  const saver = new WatchedSaver();
  const given = { configurable: { thread_id: "t" }, checkpointer: saver };
  await graph.run({ kind: "input", value: {} }, given);
  const afterQuiet = saver.marks.at(-2)?.id ?? "";
  const events: StreamEvent[] = [];
  const modes = new Set<StreamMode>(["values", "updates"]);
  const emit = (event: StreamEvent): void => void events.push(event);
  const line = await lineOf(saver);
  for (const { tell } of graph.finishedSupersteps(line, afterQuiet, { ...given, modes, emit })) await tell();
  expect(events.map(({ payload }) => payload)).toEqual([{ b: { log: ["b"] } }]);
});

it("is not said of supersteps that led elsewhere", async () => {
  const graph = chain({
    a: () => ({ log: ["a"] }),
    b: () => ({ log: ["b"] }),
    c: () => ({ log: ["c"] }),
  }).compile();
  const saver = new WatchedSaver();
  const given = {
    configurable: { thread_id: "t" },
    checkpointer: saver,
    modes: new Set<StreamMode>(["updates"]),
  };
  await graph.run({ kind: "input", value: {} }, given);
  const [, afterStart, afterA, afterB] = saver.marks;
  const since = (id = ""): Promise<string[]> => namesSince(graph, id, given);
  expect(await since(afterA?.id)).toEqual(["b", "c"]);
  const edited = { configurable: { thread_id: "t", checkpoint_id: afterStart?.id ?? "" } };
  await graph.updateState(edited, { log: ["edited"] }, "a", { checkpointer: saver });
  expect(await since(afterB?.id)).toEqual([]);
  await graph.run({ kind: "continue" }, given);
  expect(await since(afterB?.id)).toEqual(["b", "c"]);
});

it("is marked where what is stored does not say it", async () => {
  const called = task("called", (n: number) => n + 1);
  const graph = new StateGraph(State)
    .addNode("calls", async () => ({ sum: await called(1) }))
    .addEdge(START, "calls")
    .compile();
  expect(await unstored(graph)).toEqual([{ called: 2 }]);
  const secret = new StateSchema({ n: z.number(), secret: new UntrackedValue(z.string()) });
  const untracked = new StateGraph(secret)
    .addNode("whisper", () => ({ n: 1, secret: "s" }))
    .addEdge(START, "whisper")
    .compile();
  expect(await unstored(untracked)).toEqual([{ whisper: { n: 1, secret: "s" } }]);
});

/** The checkpoints that led to the newest one, oldest first. */
async function lineOf(saver: MemorySaver): Promise<string[]> {
  const line: string[] = [];
  let config: CheckpointTuple["config"] | undefined = { configurable: { thread_id: "t", checkpoint_ns: "" } };
  while (config !== undefined) {
    const tuple: CheckpointTuple | undefined = await saver.getTuple(config);
    if (tuple !== undefined) line.unshift(tuple.checkpoint.id);
    config = tuple?.parentConfig;
  }
  return line;
}

async function namesSince(
  graph: RunnableGraph,
  since: string,
  options: RunOptions & { readonly checkpointer: MemorySaver },
): Promise<string[]> {
  const names: string[] = [];
  const emit = ({ payload }: StreamEvent): void => void names.push(...Object.keys(Object(payload)));
  const line = await lineOf(options.checkpointer);
  for (const { tell } of graph.finishedSupersteps(line, since, { ...options, emit })) await tell();
  return names;
}

async function unstored(graph: RunnableGraph): Promise<unknown[]> {
  const events: StreamEvent[] = [];
  const options = {
    modes: new Set<StreamMode>(["updates"]),
    emit: (event: StreamEvent) => void events.push(event),
  };
  await graph.run({ kind: "input", value: { n: 0, sum: 0 } }, options);
  return events.filter(({ isUnstored }) => isUnstored).map(({ payload }) => payload);
}
