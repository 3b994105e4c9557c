import { compareCheckpointIds } from "../checkpoint/ordering.ts";
import type { CheckpointTuple } from "../checkpoint/types.ts";
import { resumed } from "./enter.ts";
import { isLeftToHandler, storedError } from "./error-handler.ts";
import { hydrated } from "./hydrate.ts";
import { LoopState } from "./loop-state.ts";
import { PendingWrites } from "./pending-writes.ts";
import type { PlannedTask } from "./plan.ts";
import { saverConfig, type RunContext } from "./run-context.ts";
import { emitCheckpoint, emitTaskResult, emitTasks } from "./stream-tasks.ts";
import { emitUpdate, emitValues } from "./stream.ts";

export interface FinishedSuperstep {
  /** The checkpoint that it has led to. */
  readonly checkpointId: string;
  /**
   * Emits what a run says from the checkpoint before on until it commits this one, as far as the rows of both say it.
   * Fails where they cannot be read.
   */
  readonly tell: () => Promise<void>;
}

/** The supersteps of a line of checkpoints that have come after `since`, in their order: few are in memory at a time. */
export function finishedSupersteps(
  run: RunContext,
  line: readonly string[],
  since: string,
): FinishedSuperstep[] {
  const { graph, saver, config } = run;
  const loaded = new Map<string, CheckpointTuple | undefined>();
  const load = async (id: string | undefined): Promise<CheckpointTuple | undefined> => {
    if (id === undefined || loaded.has(id)) return loaded.get(id ?? "");
    const tuple = await hydrated(graph, saver, await saver?.getTuple(saverConfig(config, id)));
    loaded.set(id, tuple);
    return tuple;
  };
  const supersteps = line.map((checkpointId, index) => ({
    checkpointId,
    async tell() {
      const before = await load(line[index - 2]);
      const tuple = await load(line[index - 1]);
      const next = await load(checkpointId);
      loaded.delete(line[index - 2] ?? "");
      if (tuple !== undefined && next?.metadata?.source === "loop") tellSuperstep(run, tuple, before);
    },
  }));
  return supersteps.filter(
    ({ checkpointId }, index) => index > 0 && compareCheckpointIds(checkpointId, since) > 0,
  );
}

/** The one that begins at `tuple`. */
function tellSuperstep(run: RunContext, tuple: CheckpointTuple, before: CheckpointTuple | undefined): void {
  const loop = resumed(new LoopState(run, tuple));
  const { pending } = loop;
  // As it was when nothing had come after it.
  loop.pending = new PendingWrites();
  if (hasNewValues(run, tuple, before)) emitValues(loop);
  emitCheckpoint(loop);
  loop.pending = pending;
  const tasks = loop.plan();
  loop.state.moveTo(loop.step + 1, loop.lastStep);
  emitTasks(
    loop,
    tasks.filter(({ handles }) => handles === undefined),
  );
  for (const task of tasks) tellTask(loop, task);
}

function tellTask(loop: LoopState, task: PlannedTask): void {
  if (task.handles !== undefined) emitTasks(loop, [task]);
  if (isLeftToHandler(loop.run.graph, task, loop.pending)) {
    const error = storedError(loop.pending.errorOf(task.id));
    return emitTaskResult(loop, task, { status: "failed", error });
  }
  const writes = loop.pending.outputOf(task.id) ?? [];
  emitUpdate(loop, task, writes);
  emitTaskResult(loop, task, { status: "done", writes });
}

/** Whether a run shows the values of the checkpoint: not those of new input, and not twice the same. */
function hasNewValues(
  { watchedKeys }: RunContext,
  { checkpoint, metadata }: CheckpointTuple,
  before: CheckpointTuple | undefined,
): boolean {
  if (metadata?.source !== "loop" || before === undefined) return metadata?.source !== "input";
  const [now, then] = [checkpoint.channel_versions, before.checkpoint.channel_versions];
  return [watchedKeys].flat().some((key) => now[key] !== then[key]);
}
