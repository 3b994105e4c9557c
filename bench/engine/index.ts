import { join } from "node:path";
import { createTestHarness } from "wrangler";
import { ours, theirs, type Library } from "../graphs/library.ts";
import type { Result } from "../support/table.ts";
import { compare, median, time, type Measure } from "../support/timing.ts";
import { works, type Work } from "./works.ts";

/** Both engines in Node, each with its saver in memory. */
export function benchInNode(): Promise<Result[]> {
  return resultsOf((work) => [measureHere(work, ours), measureHere(work, theirs)]);
}

function measureHere(work: Work, library: Library): Measure {
  const run = work.prepare(library);
  return () =>
    timeOf(work, async (times) => {
      for (let count = 0; count < times; count++) await run();
    });
}

/** The same in one isolate of workerd. Measured from outside: in there, the clock stands still while code runs. */
export async function benchInWorkerd(): Promise<Result[]> {
  const harness = createTestHarness({
    workers: [{ configPath: join(import.meta.dirname, "wrangler.toml") }],
  });
  const { origin } = (await harness.listen()).url;
  const measure = (work: Work, engine: string): Measure => {
    const request = async (times: number): Promise<void> => {
      const query = new URLSearchParams({ engine, work: work.name, times: String(times) });
      const response = await fetch(`${origin}/?${query.toString()}`);
      if (!response.ok) throw new Error(await response.text());
    };
    return async () => {
      const overhead: number[] = [];
      for (let round = 0; round < 3; round++) overhead.push(await time(() => request(0)));
      const total = await timeOf(work, request);
      return total - median(overhead) / (work.times * work.supersteps);
    };
  };
  try {
    return await resultsOf((work) => [measure(work, "tidemark"), measure(work, "langgraph")]);
  } finally {
    await harness.close();
  }
}

async function timeOf({ times, supersteps }: Work, run: (times: number) => Promise<void>): Promise<number> {
  return (await time(() => run(times))) / (times * supersteps);
}

async function resultsOf(
  measures: (work: Work) => readonly [ours: Measure, theirs: Measure],
): Promise<Result[]> {
  const results: Result[] = [];
  for (const work of works) {
    const { name, budget, repeats } = work;
    const pair = await compare(...measures(work), repeats);
    results.push({ work: name, ...(budget !== undefined && { budget }), ...pair });
  }
  return results;
}
