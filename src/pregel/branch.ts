import { adopt } from "../values/adopt.ts";
import type { CheckpointSource, PendingWrite } from "../checkpoint/types.ts";
import { carryOver, type Wish } from "./branch-nested.ts";
import { NULL_TASK_ID, RESUME } from "./constants.ts";
import { twinHandlers } from "./error-handler.ts";
import type { LoopState } from "./loop-state.ts";
import { openQuestions } from "./pending-writes.ts";
import { planTasks, type PlannedTask } from "./plan.ts";
import { saverConfig } from "./run-context.ts";

/** What goes on at the next checkpoint, which is not the one that the superstep would lead to. */
interface Succession {
  /** "fork": beside what already followed; otherwise an edit of the state. */
  readonly source: CheckpointSource;
  /** The tasks of the superstep. */
  readonly planned: readonly PlannedTask[];
  /** Those whose work is carried over. */
  readonly tasks: readonly PlannedTask[];
  readonly wish: Wish;
  /** What is to be applied before anything runs at the next checkpoint. */
  readonly outside: readonly PendingWrite[];
}

/**
 * Opens a branch beside what already followed a checkpoint. There a question of that checkpoint is answered anew, or a
 * graph inside a task stands at an older checkpoint of its own.
 */
export async function openBranch(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  wish: Wish,
  writes: readonly PendingWrite[],
): Promise<LoopState> {
  const outside = [...loop.pending.outside(), ...writes];
  await commitCarrying(loop, planNext(loop), { source: "fork", planned: tasks, tasks, wish, outside });
  return loop;
}

/**
 * Commits an edit of the state as the next checkpoint. What the planned tasks have done is kept for those that take their
 * place, where `isKept` says so; and so are their questions, unless the caller has them discarded. Returns the id.
 */
export async function commitEdit(
  loop: LoopState,
  source: CheckpointSource,
  planned: readonly PlannedTask[],
  isKept: (task: PlannedTask) => boolean,
): Promise<string> {
  if (loop.pending.isEmpty) return (await loop.commit(source, { appliesInput: true })).id;
  const next = planNext(loop);
  const isDiscarding = loop.run.onInterrupted === "discard";
  const tasks = planned.filter(
    (task) => isKept(task) && !(isDiscarding && openQuestions(loop.pending, task.id).length > 0),
  );
  await commitCarrying(loop, next, { source, planned, tasks, wish: { answers: new Map() }, outside: [] });
  return next.id;
}

/** The next checkpoint, before it is there, and the tasks that follow from the state as it is now. */
interface NextCheckpoint {
  readonly id: string;
  readonly tasks: readonly PlannedTask[];
}

function planNext(loop: LoopState): NextCheckpoint {
  const id = loop.run.environment.checkpointIds.next(loop.step + 1);
  const position = { checkpointId: id, step: loop.step + 2, namespace: loop.namespace };
  return { id, tasks: planTasks(loop.state, position) };
}

/** The tasks in the place of earlier ones, by the `pathKey` of those. */
function twinsOf(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  next: NextCheckpoint,
): ReadonlyMap<string, PlannedTask> {
  const twins = new Map<string, PlannedTask>();
  const free = new Set(next.tasks);
  for (const task of tasks) {
    const twin = takeTwin(task, free);
    if (twin !== undefined) twins.set(task.pathKey, twin);
  }
  const position = { checkpointId: next.id, step: loop.step + 2, namespace: loop.namespace };
  for (const [pathKey, twin] of twinHandlers(loop, tasks, twins, position)) twins.set(pathKey, twin);
  return twins;
}

function takeTwin(task: PlannedTask, free: Set<PlannedTask>): PlannedTask | undefined {
  for (const twin of free) {
    if (!isTwin(task, twin)) continue;
    free.delete(twin);
    return twin;
  }
  return undefined;
}

/** A Send may have another place than before an edit. */
function isTwin(task: PlannedTask, twin: PlannedTask): boolean {
  const isSend = "sendArgs" in task;
  if (task.handles !== undefined || task.name !== twin.name || isSend !== "sendArgs" in twin) return false;
  return isSend ? task.sendArgs === twin.sendArgs : true;
}

/**
 * Commits the next checkpoint. What the tasks of the superstep had done stays done, and what they ask stays open: it is
 * carried over to the tasks of that checkpoint, which have ids of their own.
 *
 * The rows, and the checkpoints of graphs inside the tasks, come before the checkpoint, which alone makes them count:
 * after a crash in between, it does not exist and the run begins again.
 */
async function commitCarrying(
  loop: LoopState,
  next: NextCheckpoint,
  { source, planned, tasks, wish, outside }: Succession,
): Promise<void> {
  const { run, pending, namespace } = loop;
  const twins = twinsOf(loop, tasks, next);
  const { rows, answers } = await carryOver(
    run,
    {
      graph: run.graph,
      from: namespace,
      position: { checkpointId: loop.checkpointId ?? "", step: loop.step + 1, namespace },
      planned,
      tasks,
      pending,
      twins,
      to: namespace,
      parents: { ...run.nesting?.parents, [namespace]: next.id },
      isEdited: source !== "fork",
    },
    wish,
  );
  const fromOutside: PendingWrite[] = [...outside];
  if (answers.size > 0) fromOutside.unshift([RESUME, adopt(answers)]);
  if (fromOutside.length > 0) rows.set(NULL_TASK_ID, fromOutside);
  const paths = new Map([...twins.values()].map((task) => [task.id, task.pathKey]));
  const commit = (): Promise<unknown> => loop.commit(source, { id: next.id, appliesInput: true });
  if (run.durability === "exit") {
    await commit();
    for (const [taskId, taskRows] of rows) await loop.store(taskId, taskRows, paths.get(taskId));
    return;
  }
  const config = saverConfig(run.config, next.id);
  for (const [taskId, taskRows] of rows) {
    if (taskRows.length > 0) await run.saver?.putWrites(config, taskRows, taskId, paths.get(taskId));
  }
  await commit();
  for (const [taskId, taskRows] of rows) loop.pending.add(taskId, taskRows);
}
