import { metadataOfRun } from "./checkpoint-metadata.ts";
import type { CheckpointTuple, PendingWrite } from "../checkpoint/types.ts";
import { findAsked } from "./answers.ts";
import {
  answersBefore,
  askingRows,
  calledRows,
  unfinishedRows,
  withoutErrors,
  withoutUsage,
} from "./carried-rows.ts";
import { INTERRUPT, ORIGINS, PARENT_TASK } from "./constants.ts";
import {
  checkpointsInside,
  findIn,
  insideOf,
  isRelayed,
  onlyGraph,
  type AskingPlace,
  type Found,
} from "./find-question.ts";
import { hydrated } from "./hydrate.ts";
import { isQuestion, type Question } from "./question.ts";
import { childNamespace, taskNamespace } from "./namespace.ts";
import type { Origin } from "./origins.ts";
import { ORIGINS_ID } from "./pending-writes.ts";
import { planTasks, type PlannedTask, type PlanPosition } from "./plan.ts";
import { saverConfig, type RunContext } from "./run-context.ts";
import { readCheckpoint } from "./snapshot.ts";
import { interruptId } from "./task-id.ts";
import { handlerPath, taskPathKey } from "./task-path.ts";
import type { PregelGraph } from "./types.ts";

/**
 * A checkpoint of a graph, and the checkpoint in its place on a new branch: the same state, in a namespace whose task
 * ids are those of the branch.
 */
export interface Place extends AskingPlace {
  /** All tasks of the superstep, where `tasks` are not all of them. */
  readonly planned?: readonly PlannedTask[];
  /** Of the superstep after the checkpoint. */
  readonly position: PlanPosition;
  /** By `pathKey`. */
  readonly twins: ReadonlyMap<string, PlannedTask>;
  readonly to: string;
  /** Of the graphs around the tasks of this one, on the branch. */
  readonly parents: Readonly<Record<string, string>>;
  /** Whether the state is another: then the tasks that wait may ask something else. */
  readonly isEdited?: boolean;
  /** Whether the branch is open already: then what is asked keeps its ids, for the answers are given under them. */
  readonly isLate?: boolean;
}

/** What moves to the branch. */
export interface Carried {
  /** By task of the branch. */
  readonly rows: Map<string, readonly PendingWrite[]>;
  /** The answers given there, under the ids that its tasks ask with. */
  readonly answers: Map<string, unknown>;
  /** By task of the branch that runs again, or goes on: the tasks in whose place it is. */
  readonly origins: Map<string, readonly Origin[]>;
}

/** What is wanted of the branch: answers to questions, or that the graph in a namespace stands at a checkpoint of its own. */
export interface Wish {
  readonly answers: ReadonlyMap<string, unknown>;
  /** The checkpoint of each graph on the way, by its namespace. */
  readonly stands?: Readonly<Record<string, string>>;
}

/** Carries over what the tasks of a checkpoint have done, as far as the wish leaves it as it was. */
export async function carryOver(run: RunContext, place: Place, wish: Wish): Promise<Carried> {
  const carried: Carried = { rows: new Map(), answers: new Map(), origins: new Map() };
  for (const task of place.tasks) {
    const twin = place.twins.get(task.pathKey);
    if (twin !== undefined) await carryTask(run, place, wish, { task, twin }, carried);
  }
  if (carried.origins.size > 0) {
    carried.rows.set(ORIGINS_ID, [[ORIGINS, carried.origins]]);
    // They stay under their ids: a call on the branch finds them by its origin.
    for (const [id, rows] of place.pending.ofCalled(place.planned ?? place.tasks))
      carried.rows.set(id, calledRows(place.pending, id, rows, wish.answers));
  }
  for (const [id, rows] of carried.rows) carried.rows.set(id, withoutUsage(rows));
  return carried;
}

interface Twins {
  readonly task: PlannedTask;
  readonly twin: PlannedTask;
}

async function carryTask(
  run: RunContext,
  place: Place,
  wish: Wish,
  { task, twin }: Twins,
  carried: Carried,
): Promise<void> {
  const { pending } = place;
  const found = new Map<string, Found>();
  for (const id of wish.answers.keys()) {
    const where = await findIn(run, place, task, id);
    if (where !== undefined) found.set(id, where);
  }
  const own = [...found.values()].filter(({ inside, isCalled }) => inside === undefined && !isCalled);
  const isBelow = own.length < found.size;
  const kept = isBelow ? answersBefore(pending, task, [...found.keys()]) : Infinity;
  const reopenedAt = own.length === 0 ? undefined : Math.min(kept, ...own.map(({ ordinal }) => ordinal));
  carryAnswers(place, wish, { task, twin }, reopenedAt ?? kept, carried.answers);
  for (const [id, { isCalled }] of found) if (isCalled) carried.answers.set(id, wish.answers.get(id));
  const note = (answers: number): void => {
    const before = pending.origins().get(task.id) ?? [];
    const older = before.map((origin) => ({ ...origin, answers: Math.min(origin.answers, answers) }));
    carried.origins.set(twin.id, [originOf(place, task, answers, [...found.keys()]), ...older]);
  };
  if (reopenedAt !== undefined) {
    note(reopenedAt);
    const answered = pending.answeredOf(task.id).slice(0, reopenedAt);
    const reopened = place.isLate ? [...found.keys()] : [];
    const rows = askingRows(answered, reopened);
    if (rows.length > 0) carried.rows.set(twin.id, rows);
    return;
  }
  const inside = [...found.values()].find((where) => where.inside !== undefined)?.inside;
  const stand = await standOf(run, place, wish, task);
  const isLeft = place.twins.has(taskPathKey(handlerPath(task.path)));
  const isDone = isLeft || pending.outputOf(task.id) !== undefined;
  if (!isBelow && stand === undefined && isDone) {
    carried.rows.set(twin.id, isLeft ? pending.of(task.id) : withoutErrors(pending.of(task.id)));
    // The history that it has added to goes on with its part.
    const added = onlyGraph(task)?.checkpointer === true ? await newestInside(run, place, task) : undefined;
    if (added !== undefined) await transplant(run, place, wish, { task, twin }, added, carried.answers);
    return;
  }
  note(kept);
  const source = inside ?? stand ?? (await newestInside(run, place, task));
  const asked = source && (await transplant(run, place, wish, { task, twin }, source, carried.answers));
  const questions = isBelow || stand !== undefined ? undefined : asked;
  const rows = unfinishedRows(place, task, kept, questions);
  if (rows.length > 0) carried.rows.set(twin.id, rows);
}

function originOf(
  { from, position }: Place,
  task: PlannedTask,
  answers: number,
  anew: readonly string[],
): Origin {
  const { checkpointId, step } = position;
  const namespace = taskNamespace(task.caller ?? from, task.name, task.id);
  return { taskId: task.id, checkpointId, step, namespace, path: task.path, answers, anew };
}

/** The old answers to questions that stay answered, and the new ones, by the ids that the twin asks with. */
function carryAnswers(
  place: Place,
  wish: Wish,
  { task, twin }: Twins,
  kept: number,
  answers: Map<string, unknown>,
): void {
  const { pending } = place;
  for (const [id, value] of [...pending.answers().latest(), ...wish.answers]) {
    const asked = findAsked(id, [task], pending);
    if (asked === undefined || isRelayed(pending, task, id)) continue;
    const isNew = wish.answers.has(id);
    if (!isNew && asked.ordinal >= kept) continue;
    answers.set(interruptId(twin.id, asked.ordinal), isNew ? wish.answers.get(id) : value);
    if (kept === Infinity || place.isLate) answers.set(id, isNew ? wish.answers.get(id) : value);
  }
}

/** Puts a copy of a checkpoint inside a task into the task of the branch; returns the questions that are open there. */
async function transplant(
  run: RunContext,
  place: Place,
  wish: Wish,
  { task, twin }: Twins,
  source: CheckpointTuple,
  answers: Map<string, unknown>,
): Promise<readonly Question[]> {
  const subgraph = onlyGraph(task);
  if (subgraph === undefined) return [];
  const { to, parents, isLate = false } = place;
  const keepsHistory = subgraph.checkpointer === true;
  const own = taskNamespace(to, twin.name, twin.id);
  const target = { graph: subgraph.graph, taskId: twin.id, namespace: own, parents, keepsHistory, isLate };
  const moved = await moveInto(run, target, wish, source);
  for (const [question, value] of moved.answers) answers.set(question, value);
  return moved.questions;
}

/** A task of a branch, into which a checkpoint is moved. */
interface Target {
  readonly graph: PregelGraph;
  readonly taskId: string;
  readonly namespace: string;
  /** Of the graphs around, on the branch. */
  readonly parents: Readonly<Record<string, string>>;
  readonly keepsHistory: boolean;
  readonly isLate: boolean;
}

/** Copies a checkpoint into a task of a branch, with what belongs to it. */
export async function moveInto(
  run: RunContext,
  { graph, taskId, namespace, parents, keepsHistory, isLate }: Target,
  wish: Wish,
  source: CheckpointTuple,
): Promise<{ readonly questions: readonly Question[]; readonly answers: ReadonlyMap<string, unknown> }> {
  const tuple = await hydrated(graph, run.saver, source);
  const from = tuple.config.configurable?.checkpoint_ns ?? "";
  const to = keepsHistory ? from : namespace;
  const step = tuple.metadata?.step ?? -1;
  const id = run.environment.checkpointIds.next(step);
  const reading = readCheckpoint(graph, tuple);
  const planned = planTasks(reading.state, { checkpointId: id, step: step + 1, namespace: to });
  const twins = new Map(planned.map((inner) => [inner.pathKey, inner]));
  // The superstep after a checkpoint that was named is done anew, as for one of the root graph.
  const position = { checkpointId: tuple.checkpoint.id, step: step + 1, namespace: from };
  const inner = await carryOver(
    run,
    {
      graph,
      from,
      position,
      tasks: isNamedLast(wish, from) ? [] : reading.tasks,
      pending: reading.pending,
      twins,
      to,
      parents: { ...parents, [to]: id },
      isLate,
    },
    wish,
  );
  const config = saverConfig({ configurable: { ...run.config.configurable, checkpoint_ns: to } }, id);
  for (const [innerId, rows] of inner.rows) {
    await run.saver?.putWrites(config, rows, innerId, planned.find((each) => each.id === innerId)?.pathKey);
  }
  await run.saver?.put(
    saverConfig(config, keepsHistory ? tuple.parentConfig?.configurable?.checkpoint_id : undefined),
    { ...tuple.checkpoint, id, ts: new Date(run.environment.now()).toISOString() },
    {
      ...metadataOfRun(run.config, { parents, ...(keepsHistory ? { [PARENT_TASK]: taskId } : {}) }),
      source: "fork",
      step,
    },
    tuple.checkpoint.channel_versions,
  );
  const questions = planned
    .flatMap((each) => inner.rows.get(each.id) ?? [])
    .filter(([channel]) => channel === INTERRUPT)
    .flatMap(([, value]) => value)
    .filter(isQuestion)
    .map((question): Question => ({ ns: to, ...question }));
  return { questions, answers: inner.answers };
}

function isNamedLast({ stands = {} }: Wish, namespace: string): boolean {
  const below = childNamespace(namespace, "");
  return namespace in stands && !Object.keys(stands).some((other) => other.startsWith(below));
}

async function newestInside(
  run: RunContext,
  place: Place,
  task: PlannedTask,
): Promise<CheckpointTuple | undefined> {
  for await (const tuple of checkpointsInside(run, place, task)) return tuple;
  return undefined;
}

/** The checkpoint that the wish names inside the task. */
async function standOf(
  run: RunContext,
  place: Place,
  { stands = {} }: Wish,
  task: PlannedTask,
): Promise<CheckpointTuple | undefined> {
  const address = insideOf(place, task);
  const id = address === undefined ? undefined : stands[address];
  if (address === undefined || id === undefined) return undefined;
  return run.saver?.getTuple(
    saverConfig({ configurable: { ...run.config.configurable, checkpoint_ns: address } }, id),
  );
}
