import { InvalidArgumentError } from "../errors.ts";

/** `delete` removes all of a thread; `keep_latest` what is neither among its newest checkpoints nor needed by them. */
export type PruneOptions =
  | { readonly strategy: "delete" }
  | {
      readonly strategy?: "keep_latest";
      /** How many of the newest checkpoints of each namespace stay, 1 unless given. */
      readonly keepLast?: number;
      /** Only checkpoints that were written before this time are removed; milliseconds since 1970. */
      readonly olderThan?: Date | number;
    };

/** What `keep_latest` keeps by itself. */
export interface Keep {
  readonly last: number;
  /** Milliseconds since 1970; Infinity: whatever its age. */
  readonly before: number;
}

/** Undefined: keep nothing. */
export function parsePrune(options: PruneOptions): Keep | undefined {
  if (options.strategy === "delete") {
    if ("keepLast" in options || "olderThan" in options)
      throw invalid('The strategy "delete" keeps nothing: leave keepLast and olderThan out.');
    return undefined;
  }
  const { strategy = "keep_latest", keepLast = 1, olderThan = Infinity } = options;
  if (strategy !== "keep_latest") throw invalid(`There is no strategy "${strategy as string}".`);
  if (!Number.isSafeInteger(keepLast) || keepLast < 1)
    throw invalid(`keepLast must be a whole number above 0, not ${keepLast}.`);
  const before = Number(olderThan);
  if (Number.isNaN(before)) throw invalid("olderThan must be a date, or milliseconds since 1970.");
  return { last: keepLast, before };
}

function invalid(message: string): InvalidArgumentError {
  return new InvalidArgumentError("invalid_prune", message);
}
