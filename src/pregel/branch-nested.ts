import type { CheckpointTuple, PendingWrite } from "../checkpoint/types.ts";
import { findAsked, type AskedQuestion } from "./answers.ts";
import { ERROR, INTERRUPT, RESUME } from "./constants.ts";
import { hydrated } from "./hydrate.ts";
import { isQuestion, type Question } from "./question.ts";
import { childNamespace, taskNamespace, withoutTaskIds } from "./namespace.ts";
import { PARENT_TASK } from "./nested-run.ts";
import { PendingWrites } from "./pending-writes.ts";
import { planTasks, type PlannedTask } from "./plan.ts";
import { saverConfig, type RunContext } from "./run-context.ts";
import { readCheckpoint } from "./snapshot.ts";
import { interruptId } from "./task-id.ts";
import { handlerPath, taskPathKey } from "./task-path.ts";
import type { PregelGraph } from "./types.ts";

/**
 * A checkpoint of a graph, and the checkpoint in its place on a new branch: the same state, in a namespace whose task
 * ids are those of the branch.
 */
export interface Place {
  readonly graph: PregelGraph;
  readonly from: string;
  readonly tasks: readonly PlannedTask[];
  readonly pending: PendingWrites;
  /** By `pathKey`. */
  readonly twins: ReadonlyMap<string, PlannedTask>;
  readonly to: string;
  /** Of the graphs around the tasks of this one, on the branch. */
  readonly parents: Readonly<Record<string, string>>;
  /** Whether the state is another: then the tasks that wait may ask something else. */
  readonly isEdited?: boolean;
}

/** What moves to the branch. */
export interface Carried {
  /** By task of the branch. */
  readonly rows: Map<string, readonly PendingWrite[]>;
  /** The answers given there, under the ids that its tasks ask with. */
  readonly answers: Map<string, unknown>;
}

/** What is wanted of the branch: answers to questions, or that the graph in a namespace stands at a checkpoint of its own. */
export interface Wish {
  readonly answers: ReadonlyMap<string, unknown>;
  /** The checkpoint of each graph on the way, by its namespace. */
  readonly stands?: Readonly<Record<string, string>>;
}

/** Where a question was asked: by a task of the place itself, or in the graph inside one. */
interface Found extends AskedQuestion {
  readonly inside?: CheckpointTuple;
}

/** Carries over what the tasks of a checkpoint have done, as far as the wish leaves it as it was. */
export async function carryOver(run: RunContext, place: Place, wish: Wish): Promise<Carried> {
  const carried: Carried = { rows: new Map(), answers: new Map() };
  for (const task of place.tasks) {
    const twin = place.twins.get(task.pathKey);
    if (twin !== undefined) await carryTask(run, place, wish, { task, twin }, carried);
  }
  return carried;
}

/** The question among those of the place's tasks and of the graphs inside them; undefined when nobody asked it. */
export async function findQuestion(
  run: RunContext,
  place: Pick<Place, "graph" | "from" | "tasks" | "pending">,
  id: string,
): Promise<Found | undefined> {
  const asked = findAsked(id, place.tasks, place.pending);
  if (asked !== undefined && !isRelayed(place.pending, asked.task, id)) return asked;
  for (const task of place.tasks) {
    for await (const tuple of checkpointsInside(run, place, task)) {
      const graph = task.node?.subgraphs?.[0]?.graph;
      if (graph === undefined) continue;
      const reading = readCheckpoint(graph, tuple);
      const from = tuple.config.configurable?.checkpoint_ns ?? "";
      if ((await findQuestion(run, { graph, from, ...reading }, id)) !== undefined)
        return { task, ordinal: 0, inside: tuple };
    }
  }
  return undefined;
}

function isRelayed(pending: PendingWrites, task: PlannedTask, id: string): boolean {
  return pending.questionsOf(task.id).some((question) => question.id === id && question.ns !== undefined);
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
    const where = await findQuestion(run, { ...place, tasks: [task] }, id);
    if (where !== undefined) found.set(id, where);
  }
  const own = [...found.values()].filter((where) => where.inside === undefined);
  const reopenedAt = own.length === 0 ? undefined : Math.min(...own.map((where) => where.ordinal));
  carryAnswers(place, wish, { task, twin }, reopenedAt, carried.answers);
  const inside = [...found.values()].find((where) => where.inside !== undefined)?.inside;
  if (reopenedAt !== undefined) {
    if (reopenedAt > 0)
      carried.rows.set(twin.id, [[RESUME, pending.answeredOf(task.id).slice(0, reopenedAt)]]);
    return;
  }
  const stand = await standOf(run, place, wish, task);
  const isLeft = place.twins.has(taskPathKey(handlerPath(task.path)));
  if (inside === undefined && stand === undefined && (isLeft || pending.outputOf(task.id) !== undefined)) {
    carried.rows.set(twin.id, isLeft ? pending.of(task.id) : withoutErrors(pending.of(task.id)));
    return;
  }
  const source = inside ?? stand ?? (await newestInside(run, place, task));
  const asked = source && (await transplant(run, place, wish, { task, twin }, source, carried.answers));
  const questions = inside === undefined && stand === undefined ? asked : undefined;
  const rows = unfinishedRows(place, task, questions);
  if (rows.length > 0) carried.rows.set(twin.id, rows);
}

/** The rows of a task that runs again, or goes on waiting for what the graph inside it asks under new ids. */
function unfinishedRows(
  { pending, isEdited = false }: Place,
  task: PlannedTask,
  inside: readonly Question[] | undefined,
): PendingWrite[] {
  const own = pending.questionsOf(task.id).filter((question) => question.ns === undefined);
  const isRelaying = own.length < pending.questionsOf(task.id).length;
  const answered = pending.of(task.id).filter(([channel]) => channel === RESUME);
  if (isRelaying && inside === undefined) return [...answered];
  const open = [
    ...own.map((question): Question => (isEdited ? { ...question, carried: true } : question)),
    ...(inside ?? []),
  ];
  return open.length === 0 ? [...answered] : [...answered, [INTERRUPT, open]];
}

/** The old answers to questions that stay answered, and the new ones, by the ids that the twin asks with. */
function carryAnswers(
  { pending }: Place,
  wish: Wish,
  { task, twin }: Twins,
  reopenedAt: number | undefined,
  answers: Map<string, unknown>,
): void {
  for (const [id, value] of [...pending.answers().latest(), ...wish.answers]) {
    const asked = findAsked(id, [task], pending);
    if (asked === undefined || isRelayed(pending, task, id)) continue;
    const isNew = wish.answers.has(id);
    if (!isNew && reopenedAt !== undefined && asked.ordinal >= reopenedAt) continue;
    answers.set(interruptId(twin.id, asked.ordinal), isNew ? wish.answers.get(id) : value);
    if (reopenedAt === undefined) answers.set(id, value);
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
  const graph = task.node?.subgraphs?.[0]?.graph;
  if (graph === undefined) return [];
  const tuple = await hydrated(graph, run.saver, source);
  const from = tuple.config.configurable?.checkpoint_ns ?? "";
  const own = taskNamespace(place.to, twin.name, twin.id);
  const keepsHistory = task.node?.subgraphs?.[0]?.checkpointer === true;
  const to = keepsHistory ? from : own;
  const step = tuple.metadata?.step ?? -1;
  const id = run.environment.checkpointIds.next(step);
  const reading = readCheckpoint(graph, tuple);
  const planned = planTasks(reading.state, { checkpointId: id, step: step + 1, namespace: to });
  const twins = new Map(planned.map((inner) => [inner.pathKey, inner]));
  const parents = { ...place.parents, [to]: id };
  // The superstep after a checkpoint that was named is done anew, as for one of the root graph.
  const tasks = isNamedLast(wish, from) ? [] : reading.tasks;
  const { pending } = reading;
  const inner = await carryOver(run, { graph, from, tasks, pending, twins, to, parents }, wish);
  const config = saverConfig({ configurable: { ...run.config.configurable, checkpoint_ns: to } }, id);
  for (const [taskId, rows] of inner.rows) {
    await run.saver?.putWrites(config, rows, taskId, planned.find((each) => each.id === taskId)?.pathKey);
  }
  await run.saver?.put(
    saverConfig(config, keepsHistory ? tuple.parentConfig?.configurable?.checkpoint_id : undefined),
    { ...tuple.checkpoint, id, ts: new Date(run.environment.now()).toISOString() },
    {
      source: "fork",
      step,
      parents: place.parents,
      ...(keepsHistory ? { [PARENT_TASK]: twin.id } : {}),
      ...(run.config.runId === undefined ? {} : { run_id: run.config.runId }),
    },
    tuple.checkpoint.channel_versions,
  );
  for (const [question, value] of inner.answers) answers.set(question, value);
  return [...inner.rows.values()]
    .flat()
    .filter(([channel]) => channel === INTERRUPT)
    .flatMap(([, value]) => value)
    .filter(isQuestion)
    .map((question): Question => ({ ns: to, ...question }));
}

function isNamedLast({ stands = {} }: Wish, namespace: string): boolean {
  const below = childNamespace(namespace, "");
  return namespace in stands && !Object.keys(stands).some((other) => other.startsWith(below));
}

async function* checkpointsInside(
  run: RunContext,
  place: Pick<Place, "from">,
  task: PlannedTask,
): AsyncGenerator<CheckpointTuple> {
  const address = insideOf(place, task);
  if (address === undefined || run.saver === undefined) return;
  const listed = run.saver.list(
    saverConfig({ configurable: { ...run.config.configurable, checkpoint_ns: address } }),
  );
  for await (const tuple of listed) {
    // Others in a shared history are of other visits.
    if (task.node?.subgraphs?.[0]?.checkpointer === true && tuple.metadata?.[PARENT_TASK] !== task.id)
      continue;
    yield tuple;
  }
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

function insideOf(place: Pick<Place, "from">, task: PlannedTask): string | undefined {
  const subgraph = task.node?.subgraphs?.[0];
  if (subgraph === undefined) return undefined;
  const own = taskNamespace(place.from, task.name, task.id);
  return subgraph.checkpointer === true ? withoutTaskIds(own) : own;
}

function withoutErrors(writes: readonly PendingWrite[]): readonly PendingWrite[] {
  return writes.filter(([channel]) => channel !== ERROR);
}
