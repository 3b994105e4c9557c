import { adopt } from "../adopt.ts";
import type { PendingWrite } from "../checkpoint/types.ts";
import { carryOver, type Wish } from "./branch-nested.ts";
import { NULL_TASK_ID, RESUME } from "./constants.ts";
import type { LoopState } from "./loop-state.ts";
import { planTasks, type PlannedTask } from "./plan.ts";
import { checkpointConfig } from "./run-context.ts";

/**
 * Opens a branch beside what already followed a checkpoint. There a question of that checkpoint is answered anew, or a
 * graph inside a task stands at an older checkpoint of its own. What the other tasks of the superstep had done stays
 * done: it is carried over to the branch, whose task ids are its own.
 *
 * The rows, and the checkpoints of graphs inside the tasks, come before the branch's checkpoint, which alone makes them
 * count: after a crash in between, the branch does not exist and the run begins again.
 */
export async function openBranch(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  wish: Wish,
  writes: readonly PendingWrite[],
): Promise<LoopState> {
  const { run, pending, namespace } = loop;
  const branchId = run.environment.checkpointIds.next(loop.step + 1);
  const planned = planTasks(loop.state, { checkpointId: branchId, step: loop.step + 2, namespace });
  const { rows, answers } = await carryOver(
    run,
    {
      graph: run.graph,
      from: namespace,
      tasks,
      pending,
      twins: new Map(planned.map((task) => [task.pathKey, task])),
      to: namespace,
      parents: { [namespace]: branchId },
    },
    wish,
  );
  const outside: PendingWrite[] = [...pending.outside(), ...writes];
  if (answers.size > 0) outside.unshift([RESUME, adopt(answers)]);
  if (outside.length > 0) rows.set(NULL_TASK_ID, outside);
  const paths = new Map(planned.map((task) => [task.id, task.pathKey]));
  if (run.durability === "exit") {
    await loop.commit("fork", { id: branchId, appliesInput: true });
    for (const [taskId, taskRows] of rows) await loop.store(taskId, taskRows, paths.get(taskId));
    return loop;
  }
  const config = checkpointConfig(run.config, branchId);
  for (const [taskId, taskRows] of rows) {
    if (taskRows.length > 0) await run.saver?.putWrites(config, taskRows, taskId, paths.get(taskId));
  }

  await loop.commit("fork", { id: branchId, appliesInput: true });
  for (const [taskId, taskRows] of rows) loop.pending.add(taskId, taskRows);
  return loop;
}
