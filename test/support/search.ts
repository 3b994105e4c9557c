/**
 * How far a test looks that searches at random. `npm run test:long` (TIDEMARK_LONG=1) looks further; TIDEMARK_RUNS says how
 * far by itself. A failure prints the seed, and TIDEMARK_SEED repeats it.
 */
const { TIDEMARK_LONG, TIDEMARK_RUNS, TIDEMARK_SEED } = process.env;

export const isLong = TIDEMARK_LONG === "1";

/** For `fc.assert`. */
export function search({ short, long }: { readonly short: number; readonly long: number }): {
  readonly numRuns: number;
  readonly seed?: number;
} {
  const numRuns = Number(TIDEMARK_RUNS ?? (isLong ? long : short));
  return TIDEMARK_SEED === undefined ? { numRuns } : { numRuns, seed: Number(TIDEMARK_SEED) };
}
