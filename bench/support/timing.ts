/** Milliseconds that the work takes. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** A measurement: resolves to milliseconds. */
export type Measure = () => Promise<number>;

/** Medians in milliseconds. */
export interface Pair {
  readonly ours: number;
  readonly theirs: number;
  /** The median of `ours / theirs` round by round: steadier than the quotient of the medians when the load changes. */
  readonly ratio: number;
}

/** How long each of both is at work, in milliseconds. */
export interface Repeats {
  /** Before anything counts. */
  readonly warmUp: number;
  /** In one round, at least. */
  readonly sample: number;
  readonly rounds: number;
}

export const STEADY: Repeats = { warmUp: 2000, sample: 250, rounds: 9 };

/**
 * Measures both in turns, so that what else the machine does falls on both alike. Both are at work for as long: compilers
 * and collectors of garbage go by time, so that of two measurements as often as each other the shorter one would be taken
 * cold, and at times consist of cleaning up after the longer one.
 */
export async function compare(
  ours: Measure,
  theirs: Measure,
  { warmUp, sample, rounds }: Repeats,
): Promise<Pair> {
  // In turns too: what one makes of the other's work belongs to what is measured later.
  for (let part = 0; part < WARM_UP_PARTS; part++) {
    await meanOf(ours, warmUp / WARM_UP_PARTS);
    await meanOf(theirs, warmUp / WARM_UP_PARTS);
  }
  const measured: { readonly ours: number; readonly theirs: number }[] = [];
  for (let round = 0; round < rounds; round++)
    measured.push({ ours: await meanOf(ours, sample), theirs: await meanOf(theirs, sample) });
  return {
    ours: median(measured.map((times) => times.ours)),
    theirs: median(measured.map((times) => times.theirs)),
    ratio: median(measured.map((times) => times.ours / times.theirs)),
  };
}

const WARM_UP_PARTS = 4;

/** The mean of as many measurements as fit into the milliseconds: at least one. */
async function meanOf(measure: Measure, milliseconds: number): Promise<number> {
  const results: number[] = [];
  const end = performance.now() + milliseconds;
  do results.push(await measure());
  while (performance.now() < end);
  return results.reduce((sum, result) => sum + result, 0) / results.length;
}
