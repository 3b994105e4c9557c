import { fanOutGraph } from "../graphs/fan-out.ts";
import { idleGraph, idleInput } from "../graphs/idle-channels.ts";
import type { Library, Saver } from "../graphs/library.ts";
import { loopGraph, loopInput, recursionLimit } from "../graphs/loop.ts";
import { nestedGraph } from "../graphs/nested.ts";
import { parallelTasks } from "../graphs/parallel-tasks.ts";
import { STEADY, type Repeats } from "../support/timing.ts";

/** Something that both engines do, wherever they run. */
export interface Work {
  readonly name: string;
  /** The share of their time that ours may take. */
  readonly budget?: number;
  readonly repeats: Repeats;
  /** How often it is done in one measurement: what takes less than the way to it is done several times. */
  readonly times: number;
  /** By how much the time of one is divided. */
  readonly supersteps: number;
  /** Makes the graph; what is returned runs it once, on a new thread. */
  prepare(library: Library): () => Promise<void>;
}

const LOOP = 1000;
/** Fewer: what an idle channel costs is the same in each. */
const SHORT_LOOP = 200;
const WIDTHS = [10, 100, 1000, 3000];
const SUPERSTEP = 1 / 10;
const WIDE = 1 / 20;
/** Where theirs takes seconds. */
const FEW: Repeats = { warmUp: 500, sample: 250, rounds: 3 };

export const works: readonly Work[] = [
  loop(),
  ...[10, 100, 500].map(idle),
  nested(),
  ...WIDTHS.map(sends),
  ...WIDTHS.map(tasks),
];

function loop(): Work {
  return {
    name: `superstep of a loop of ${LOOP}`,
    budget: SUPERSTEP,
    repeats: STEADY,
    times: 1,
    supersteps: LOOP,
    prepare: (library) =>
      onNewThreads(library, (saver) => {
        const graph = loopGraph(library, saver);
        return async (config) => {
          expectResult("n", (await graph.invoke(loopInput(LOOP), config)).n, LOOP);
        };
      }),
  };
}

function idle(channels: number): Work {
  return {
    name: `superstep with ${channels} idle channels`,
    budget: SUPERSTEP,
    repeats: STEADY,
    times: 1,
    supersteps: SHORT_LOOP,
    prepare: (library) =>
      onNewThreads(library, (saver) => {
        const graph = idleGraph(library, channels, saver);
        return async (config) => {
          const state = await graph.invoke(idleInput(channels, SHORT_LOOP), config);
          expectResult("n", state["n"], SHORT_LOOP);
        };
      }),
  };
}

function nested(): Work {
  return {
    name: "superstep whose node is a graph of two nodes",
    budget: SUPERSTEP,
    repeats: STEADY,
    times: 1,
    supersteps: SHORT_LOOP,
    prepare: (library) =>
      onNewThreads(library, (saver) => {
        const graph = nestedGraph(library, saver);
        return async (config) => {
          expectResult("n", (await graph.invoke(loopInput(SHORT_LOOP), config)).n, SHORT_LOOP);
        };
      }),
  };
}

function sends(width: number): Work {
  return {
    name: `${width} parallel Sends`,
    ...ofWidth(width),
    prepare: (library) =>
      onNewThreads(library, (saver) => {
        const graph = fanOutGraph(library, saver);
        return async (config) => {
          const { squares } = await graph.invoke({ width }, config);
          expectResult("number of results", squares.length, width);
        };
      }),
  };
}

function tasks(width: number): Work {
  return {
    name: `${width} parallel tasks of an entrypoint`,
    ...ofWidth(width),
    prepare: (library) =>
      onNewThreads(library, (saver) => {
        const graph = parallelTasks(library, saver);
        return async (config) => expectResult("number of results", await graph.invoke(width, config), width);
      }),
  };
}

function ofWidth(width: number): Pick<Work, "budget" | "repeats" | "times" | "supersteps"> {
  const times = Math.max(1, 200 / width);
  const repeats = width >= 1000 ? FEW : STEADY;
  return { ...(width === 3000 && { budget: WIDE }), repeats, times, supersteps: 1 };
}

type RunConfig = { readonly configurable: { readonly thread_id: string }; readonly recursionLimit: number };

/** What is kept of a thread is dropped after its run: it would not be of the next one's time. */
function onNewThreads(
  library: Library,
  open: (saver: Saver) => (config: RunConfig) => Promise<void>,
): () => Promise<void> {
  const saver = new library.MemorySaver();
  const run = open(saver);
  let threads = 0;
  return async () => {
    const thread_id = `thread ${threads++}`;
    await run({ configurable: { thread_id }, recursionLimit: recursionLimit(LOOP) });
    await saver.deleteThread(thread_id);
  };
}

/** A benchmark of work that was not done would be a fine one. */
function expectResult(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`The ${what} is ${String(actual)}, not ${String(expected)}.`);
}
