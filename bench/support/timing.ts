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

export interface Repeats {
  /** Measurements whose results do not count. */
  readonly warmUps: number;
  readonly rounds: number;
}

/** Measures both in turns, so that what else the machine does falls on both alike. */
export async function compare(ours: Measure, theirs: Measure, { warmUps, rounds }: Repeats): Promise<Pair> {
  const measured: { readonly ours: number; readonly theirs: number }[] = [];
  for (let round = -warmUps; round < rounds; round++) {
    const times = { ours: await ours(), theirs: await theirs() };
    if (round >= 0) measured.push(times);
  }
  return {
    ours: median(measured.map((times) => times.ours)),
    theirs: median(measured.map((times) => times.theirs)),
    ratio: median(measured.map((times) => times.ours / times.theirs)),
  };
}
