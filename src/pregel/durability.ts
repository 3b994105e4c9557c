import { InvalidArgumentError } from "../errors.ts";

/**
 * When a run stores: "sync" and "async" (the default) mean the same here, after each task and superstep, since rows are
 * issued in order; "exit": once, at its end. A run that is cut off before has then left nothing.
 */
export type Durability = "sync" | "async" | "exit";

const DURABILITIES: ReadonlySet<unknown> = new Set<Durability>(["sync", "async", "exit"]);

export interface DurabilityOptions {
  readonly durability?: Durability;
  /** The older name: false is "exit". */
  readonly checkpointDuring?: boolean;
}

export function durabilityOf({ durability, checkpointDuring }: DurabilityOptions): Durability {
  if (durability !== undefined && checkpointDuring !== undefined) {
    throw new InvalidArgumentError(
      "invalid_durability",
      "durability and checkpointDuring mean the same: say one of them.",
    );
  }
  if (durability !== undefined && !DURABILITIES.has(durability)) {
    throw new InvalidArgumentError(
      "invalid_durability",
      `There is no durability "${durability}": there are ${[...DURABILITIES].join(", ")}.`,
      { details: { durability } },
    );
  }
  return durability ?? (checkpointDuring === false ? "exit" : "async");
}
