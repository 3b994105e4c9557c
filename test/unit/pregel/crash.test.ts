import { describe, expect, it } from "vitest";
import { type CompiledStateGraph, MemorySaver } from "tidemark";
import { parseRunInput, Pregel, type PregelGraph, type EngineNode, type RunOutcome } from "tidemark/pregel";
import { systemEnvironment } from "../../../src/pregel/system-environment.ts";
import { cases, stateOf, type Case } from "../oracle/cases.ts";
import { functionalCases } from "../oracle/functional-cases.ts";
import { subgraphCases } from "../oracle/subgraph-cases.ts";
import { ours, START, type Compiled, type Config } from "../oracle/engine.ts";
import { type Counters, idOf, Session } from "../oracle/session.ts";

/**
 * Crashes at every write to the saver, one by one: before the write, or after it but before anybody knows. Then the graph
 * is made anew, as after an eviction, and the run goes on. The thread has to come out as if nothing had happened, and no
 * task whose result was stored may run again.
 */

class Crash extends Error {}

type Moment = "before" | "after";

class CrashingSaver extends MemorySaver {
  writes = 0;
  crashed = false;
  readonly finishedTasks = new Set<string>();
  /** Called in the same turn as the write, as a thread marks the input of its run. */
  onStored: () => void = () => undefined;
  readonly #crashAt: number;
  readonly #moment: Moment;

  constructor(crashAt: number, moment: Moment) {
    super();
    this.#crashAt = crashAt;
    this.#moment = moment;
  }

  override async put(...args: Parameters<MemorySaver["put"]>): ReturnType<MemorySaver["put"]> {
    return this.#write(() => super.put(...args));
  }

  override async putWrites(...args: Parameters<MemorySaver["putWrites"]>): Promise<void> {
    await this.#write(() => super.putWrites(...args));
    const [, writes, taskId] = args;
    if (writes.some(([channel]) => !["__error__", "__interrupt__", "__resume__"].includes(channel)))
      this.finishedTasks.add(taskId);
  }

  async #write<T>(write: () => Promise<T>): Promise<T> {
    const isHere = this.writes++ === this.#crashAt;
    if (isHere) this.crashed = true;
    if (isHere && this.#moment === "before") throw new Crash();
    const result = await write();
    this.onStored();
    if (isHere) throw new Crash();
    return result;
  }
}

type Graph = CompiledStateGraph<Record<string, unknown>, Record<string, unknown>>;

/** Makes the graph anew, with nodes that fail the test when their task has been stored as finished. */
function guarded(build: Case["build"], counters: Counters, saver: CrashingSaver): Pregel {
  const { graph } = build(ours, counters, saver).compile({ checkpointer: saver }) as unknown as Graph;
  return guardedGraph(graph, saver, saver);
}

function guardedGraph(
  graph: PregelGraph,
  saver: CrashingSaver,
  checkpointer: CrashingSaver | boolean | undefined,
): Pregel {
  const nodes = new Map<string, EngineNode>();
  for (const [name, node] of graph.nodes) {
    const [inside] = node.subgraphs ?? [];
    const subgraph =
      inside && guardedGraph(inside.graph, saver, inside.checkpointer === true ? true : undefined);
    nodes.set(name, {
      ...node,
      ...(subgraph === undefined ? {} : { subgraphs: [subgraph] }),
      run: (input, config) => {
        const taskId = String(config.metadata["langgraph_checkpoint_ns"]).split(":").at(-1) ?? "";
        if (saver.finishedTasks.has(taskId)) throw new Error(`Finished task ${name} runs again.`);
        return subgraph === undefined ? node.run(input, config) : subgraph.invoke(input, config);
      },
    });
  }
  return new Pregel({ graph: { ...graph, nodes }, environment: systemEnvironment, checkpointer });
}

/** A graph whose runs and updates go on after a crash. */
function surviving(make: () => Pregel, saver: CrashingSaver): Compiled {
  const run = async (input: unknown, config: Config): Promise<RunOutcome> => {
    let isStored = false;
    let isAboutTo = false;
    saver.onStored = () => (isStored ||= isAboutTo);
    const onInputApplied = (): void => void (isAboutTo = true);
    const options = { ...config, onInputApplied };
    try {
      return await make().run(parseRunInput(input), options);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    // Where the input is stored, the run goes on at the head, which is then its own.
    if (!isStored) return make().run(parseRunInput(input), options);
    return make().run({ kind: "continue" }, { ...options, configurable: { thread_id: "t" } });
  };
  const update = async (config: Config, values: unknown, asNode?: string): Promise<unknown> => {
    let isStored = false;
    saver.onStored = () => (isStored = true);
    try {
      return await make().updateState(config, values, asNode);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    return isStored ? config : make().updateState(config, values, asNode);
  };
  const graph = {
    invoke: run,
    async *stream(input: unknown, config: Config) {
      yield await run(input, config);
    },
    getState: (config: Config, options?: { subgraphs?: boolean }) => make().getState(config, options),
    getStateHistory: (config: Config) => make().getStateHistory(config),
    updateState: update,
  };
  return graph as unknown as Compiled;
}

async function play({ build, script }: Case, crashAt: number, moment: Moment) {
  const saver = new CrashingSaver(crashAt, moment);
  const session = new Session(ours, build, saver, () =>
    surviving(() => guarded(build, session.counters, saver), saver),
  );
  await script(session);
  const history = (await session.history()).map(({ values, next, metadata }) => ({
    values,
    next,
    source: metadata?.source,
    step: metadata?.step,
  }));
  return { history, writes: saver.writes, crashed: saver.crashed, counts: session.counters.counts };
}

/** Of this engine alone: a question of an older checkpoint is answered anew, on a branch. */
const answeredAnew: Case = {
  build: (library) =>
    new library.StateGraph(stateOf(library))
      .addNode("ask", () => ({ log: [library.interrupt("1"), library.interrupt("2")] }))
      .addNode("sibling", () => ({ log: ["sibling"] }))
      .addNode("other", () => ({ log: [library.interrupt("other")] }))
      .addEdge(START, "ask")
      .addEdge(START, "sibling")
      .addEdge(START, "other"),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    const [, first] = await thread.questions();
    await thread.answer(["a", "o"]);
    await thread.answer(["b"]);
    const [, paused] = (await thread.history()).map(idOf);
    const id = first?.id ?? "";
    await thread.invoke(thread.command({ resume: { [id]: "new" }, update: { sum: 1 } }), {
      at: paused ?? "",
    });
    await thread.invoke(null);
  },
};

/** A shorter script than the oracle's: the time grows with the square of the writes. */
const ownHistory: Case = {
  build: (...args) => buildOf("graphs with a history of their own")(...args),
  script: async (thread) => {
    await thread.invoke({ log: ["1"] });
    await thread.invoke({ log: ["2"] });
    const older = (await thread.history()).find(
      ({ next, metadata }) => next[0] === "p" && metadata?.step === 4,
    );
    await thread.invoke(null, { at: older === undefined ? "" : idOf(older) });
  },
};

function buildOf(name: string): Case["build"] {
  const found = all[name];
  if (found === undefined) throw new Error(name);
  return found.build;
}

/** Not in the list: what counts supersteps of a run, or what fails for the first time only. */
const names = [
  "a chain",
  "parallel nodes and a waiting edge",
  "Commands of nodes and callers",
  "two questions of one node",
  "questions of parallel nodes, answered by id",
  "questions of Sends, answered by id",
  "a checkpoint before a question",
  "updates from outside",
  "a graph as a node",
  "graphs that a node invokes",
  "graphs in graphs",
  "two questions of a graph that a node invokes",
  "parallel questions of a graph",
  "an update of a graph in a node",
  "an older checkpoint before a graph",
  "an entrypoint that asks",
  "parallel calls of a task",
  "tasks and graphs in an entrypoint",
];

const all = { ...cases, ...subgraphCases, ...functionalCases };

const played: readonly (readonly [string, Case | undefined])[] = [
  ...names.map((name) => [name, all[name]] as const),
  ["a question that is answered anew", answeredAnew],
  ["graphs with a history of their own", ownHistory],
];

// A script with many writes is played once for each of them.
describe.each(played)("%s", { timeout: 60_000 }, (name, found) => {
  if (found === undefined) throw new Error(name);

  it.each<Moment>(["before", "after"])(
    "goes on after a crash %s any write",
    { timeout: 60_000 },
    async (moment) => {
      const undisturbed = await play(found, Infinity, moment);
      for (let crashAt = 0; crashAt < undisturbed.writes; crashAt++) {
        const disturbed = await play(found, crashAt, moment);
        expect(disturbed.crashed).toBe(true);
        expect(disturbed.history, `crash ${moment} write ${crashAt}`).toEqual(undisturbed.history);
        // At most what was at work when it crashed is done again.
        for (const [what, count] of disturbed.counts) {
          expect(count - (undisturbed.counts.get(what) ?? 0), what).toBeLessThanOrEqual(1);
        }
      }
    },
  );
});
