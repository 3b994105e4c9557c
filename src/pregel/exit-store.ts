import { PAST } from "../checkpoint/constants.ts";
import type { Checkpoint, CheckpointMetadata, ChannelVersions, PendingWrite } from "../checkpoint/types.ts";
import type { Unstored } from "./enclosing-task.ts";
import { saverConfig, type RunContext } from "./run-context.ts";

/** A checkpoint that is to be stored. */
export interface CheckpointRow {
  readonly parentId: string | undefined;
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
  readonly newVersions: ChannelVersions;
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
