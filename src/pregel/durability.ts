import { PAST } from "../checkpoint/constants.ts";
import type { Checkpoint, CheckpointMetadata, ChannelVersions, PendingWrite } from "../checkpoint/types.ts";
import { InvalidArgumentError } from "../errors.ts";
import { saverConfig, type RunContext } from "./run-context.ts";

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

/** A checkpoint that is to be stored. */
export interface CheckpointRow {
  readonly parentId: string | undefined;
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
  readonly newVersions: ChannelVersions;
}

export interface Unstored {
  readonly ids: readonly string[];
  readonly since: string | undefined;
}

interface WritesRow {
  readonly taskId: string;
  readonly writes: readonly PendingWrite[];
  readonly pathKey: string | undefined;
}

/** Collects what a run would have stored, and stores the last of it: one checkpoint, and what was written after it. */
export class ExitStore {
  #row: CheckpointRow | undefined;
  #writes: WritesRow[] = [];
  /** Whose supersteps lead to the last checkpoint, from the stored one before it on. */
  #past: string[] = [];
  #isPastNoted = false;

  /**
   * The checkpoints that the run stands at or has passed since `since`, the stored one. Who asks lets the last of them
   * name the others: what graphs inside tasks have stored there counts on the branch.
   */
  noteUnstored(): Unstored | undefined {
    this.#isPastNoted = true;
    const row = this.#row;
    return row === undefined ? undefined : { ids: [...this.#past, row.checkpoint.id], since: row.parentId };
  }

  keepCheckpoint(row: CheckpointRow): void {
    const known = this.#row;
    if (known !== undefined) this.#past.push(known.checkpoint.id);
    else if (row.parentId !== undefined && row.metadata.source !== "fork") this.#past.push(row.parentId);
    this.#row =
      known === undefined
        ? row
        : { ...row, parentId: known.parentId, newVersions: { ...known.newVersions, ...row.newVersions } };
    this.#writes = [];
  }

  keepWrites(taskId: string, writes: readonly PendingWrite[], pathKey: string | undefined): void {
    this.#writes.push({ taskId, writes, pathKey });
  }

  /** `checkpointId`: where the run stands. */
  async store({ saver, config }: RunContext, checkpointId: string | undefined): Promise<void> {
    const row = this.#row;
    if (row !== undefined)
      await saver?.put(
        saverConfig(config, row.parentId),
        row.checkpoint,
        this.#isPastNoted ? { ...row.metadata, [PAST]: this.#past } : row.metadata,
        row.newVersions,
      );
    for (const { taskId, writes, pathKey } of this.#writes)
      await saver?.putWrites(saverConfig(config, checkpointId), writes, taskId, pathKey);
  }
}
