import { fanOutGraph } from "../graphs/fan-out.ts";
import { idleGraph, idleInput } from "../graphs/idle-channels.ts";
import { ours, theirs, type Library } from "../graphs/library.ts";
import { loopGraph, loopInput, recursionLimit } from "../graphs/loop.ts";
import type { Result } from "../support/table.ts";
import { compare, time, type Measure, type Repeats } from "../support/timing.ts";

const LOOP = 1000;
/** Fewer: what an idle channel costs is the same in each. */
const IDLE_LOOP = 200;
const CONFIG = { configurable: { thread_id: "bench" } };

/** Both engines in Node, each with its saver in memory. */
export async function benchEngine(): Promise<Result[]> {
  const results: Result[] = [];
  results.push(await result(`superstep of a loop of ${LOOP}`, loop, { warmUps: 1, rounds: 3 }));
  for (const idle of [10, 100, 500]) {
    const work = `superstep with ${idle} idle channels`;
    results.push(await result(work, (library) => idleLoop(library, idle), { warmUps: 1, rounds: 3 }));
  }
  for (const width of [10, 100]) results.push(await sends(width, { warmUps: 3, rounds: 10 }));
  results.push(await sends(1000, { warmUps: 1, rounds: 3 }));
  // Once: theirs takes many seconds.
  results.push({ ...(await sends(3000, { warmUps: 0, rounds: 1 })), budget: 1 / 20 });
  return results;
}

function sends(width: number, repeats: Repeats): Promise<Result> {
  return result(`${width} parallel Sends`, (library) => fanOut(library, width), repeats);
}

async function result(
  work: string,
  measure: (library: Library) => Measure,
  repeats: Repeats,
): Promise<Result> {
  return { work, ...(await compare(measure(ours), measure(theirs), repeats)) };
}

/** A new saver each time: what is measured is a new thread. */
export function loop(library: Library): Measure {
  return async () => {
    const graph = loopGraph(library, new library.MemorySaver());
    const total = await time(async () => {
      const config = { ...CONFIG, recursionLimit: recursionLimit(LOOP) };
      expectResult("n", (await graph.invoke(loopInput(LOOP), config)).n, LOOP);
    });
    return total / LOOP;
  };
}

export function idleLoop(library: Library, idle: number): Measure {
  return async () => {
    const graph = idleGraph(library, idle, new library.MemorySaver());
    const total = await time(async () => {
      const config = { ...CONFIG, recursionLimit: recursionLimit(IDLE_LOOP) };
      const state = await graph.invoke(idleInput(idle, IDLE_LOOP), config);
      expectResult("n", state["n"], IDLE_LOOP);
    });
    return total / IDLE_LOOP;
  };
}

export function fanOut(library: Library, width: number): Measure {
  return async () => {
    const graph = fanOutGraph(library, new library.MemorySaver());
    return time(async () => {
      const state = await graph.invoke({ width }, CONFIG);
      expectResult("number of results", state.squares.length, width);
    });
  };
}

/** A benchmark of work that was not done would be a fine one. */
function expectResult(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`The ${what} is ${String(actual)}, not ${String(expected)}.`);
}
