import { adopt } from "../adopt.ts";
import type { PendingWrite } from "../checkpoint/types.ts";
import { findAsked } from "./answers.ts";
import { ERROR, NULL_TASK_ID, RESUME } from "./constants.ts";
import type { LoopState } from "./loop-state.ts";
import type { PendingWrites } from "./pending-writes.ts";
import { planTasks, type PlannedTask } from "./plan.ts";
import { checkpointConfig } from "./run-context.ts";
import { interruptId } from "./task-id.ts";

/**
 * Opens a branch beside what already followed a checkpoint, and answers a question of that checkpoint anew there. What
 * the other tasks of the superstep had done stays done: it is carried over to the branch, whose task ids are its own.
 *
 * The rows come before the branch's checkpoint, which alone makes them count: after a crash in between, the branch does
 * not exist and the run begins again.
 */
export async function answerOnBranch(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  answers: ReadonlyMap<string, unknown>,
  writes: readonly PendingWrite[],
): Promise<LoopState> {
  const { run, pending } = loop;
  const branchId = run.environment.checkpointIds.next(loop.step + 1);
  const twins = twinsOf(loop, tasks, branchId);
  const reopened = reopenedOf(tasks, pending, answers);
  const carried = new Map<string, readonly PendingWrite[]>();
  for (const [task, twin] of twins) carried.set(twin.id, carriedWrites(task, pending, reopened.get(task)));

  const translated = translateAnswers(twins, pending, answers, reopened);
  carried.set(NULL_TASK_ID, [[RESUME, adopt(translated)], ...pending.outside(), ...writes]);
  const config = checkpointConfig(run.config, branchId);
  const paths = new Map([...twins.values()].map((twin) => [twin.id, twin.pathKey]));
  for (const [taskId, rows] of carried) {
    if (rows.length > 0) await run.saver?.putWrites(config, rows, taskId, paths.get(taskId));
  }

  await loop.commit("fork", { id: branchId, appliesInput: true });
  for (const [taskId, rows] of carried) loop.pending.add(taskId, rows);
  return loop;
}

/** For every task of the checkpoint the one in its place on the branch. */
function twinsOf(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  branchId: string,
): Map<PlannedTask, PlannedTask> {
  const planned = planTasks(loop.state, {
    checkpointId: branchId,
    step: loop.step + 2,
    namespace: loop.namespace,
  });
  const byPath = new Map(planned.map((task) => [task.pathKey, task]));
  const twins = new Map<PlannedTask, PlannedTask>();
  for (const task of tasks) {
    const twin = byPath.get(task.pathKey);
    if (twin !== undefined) twins.set(task, twin);
  }
  return twins;
}

/** For each task that is answered anew, the first of its questions that is. Later ones are asked again. */
function reopenedOf(
  tasks: readonly PlannedTask[],
  pending: PendingWrites,
  answers: ReadonlyMap<string, unknown>,
): Map<PlannedTask, number> {
  const reopened = new Map<PlannedTask, number>();
  for (const id of answers.keys()) {
    const asked = findAsked(id, tasks, pending);
    if (asked === undefined) continue;
    reopened.set(asked.task, Math.min(asked.ordinal, reopened.get(asked.task) ?? asked.ordinal));
  }
  return reopened;
}

function carriedWrites(
  task: PlannedTask,
  pending: PendingWrites,
  reopenedAt: number | undefined,
): readonly PendingWrite[] {
  if (reopenedAt === undefined) return pending.of(task.id).filter(([channel]) => channel !== ERROR);
  return reopenedAt === 0 ? [] : [[RESUME, pending.answeredOf(task.id).slice(0, reopenedAt)]];
}

/** The new answers, and the old ones to questions that stay answered, under the ids that the branch's tasks ask with. */
function translateAnswers(
  twins: ReadonlyMap<PlannedTask, PlannedTask>,
  pending: PendingWrites,
  answers: ReadonlyMap<string, unknown>,
  reopened: ReadonlyMap<PlannedTask, number>,
): Map<string, unknown> {
  const tasks = [...twins.keys()];
  const result = new Map<string, unknown>();
  for (const [id, value] of [...pending.answers().latest(), ...answers]) {
    const asked = findAsked(id, tasks, pending);
    const twin = asked && twins.get(asked.task);
    if (asked === undefined || twin === undefined) continue;
    const reopenedAt = reopened.get(asked.task);
    if (!answers.has(id) && reopenedAt !== undefined && asked.ordinal >= reopenedAt) continue;
    result.set(interruptId(twin.id, asked.ordinal), value);
    if (reopenedAt === undefined) result.set(id, value);
  }
  return result;
}
