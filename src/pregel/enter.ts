import { adopt } from "../values/adopt.ts";
import type { CheckpointTuple, PendingWrite } from "../checkpoint/types.ts";
import {
  CheckpointNotFoundError,
  EmptyInputError,
  InvalidArgumentError,
  RefusedError,
  ThreadInterruptedError,
  UnknownInterruptError,
} from "../errors.ts";
import { answersOf } from "../named-answers.ts";
import { RunEndedError } from "./nested-errors.ts";
import { answerToOnly, askedInterruptIds, openInterruptIds, requireOpen } from "./answers.ts";
import { applyWrites, type AppliedTask } from "./apply.ts";
import { findQuestion } from "./find-question.ts";
import { commitEdit, openBranch } from "./branch.ts";
import { Command, commandUpdates } from "./command.ts";
import { BRANCH_TO, ROOT, END, INPUT, RESUME, START, TASKS } from "./constants.ts";
import { hydrated } from "./hydrate.ts";
import { inputWrites, noInput } from "./input-writes.ts";
import { LoopState } from "./loop-state.ts";
import { openQuestions, PendingWrites } from "./pending-writes.ts";
import type { PlannedTask } from "./plan.ts";
import { findVisit } from "./nested-run.ts";
import { shownQuestions, type Question } from "./question.ts";
import { withoutSettled } from "./relayed-questions.ts";
import { saverConfig, nextVersionOf, type Nesting, type RunContext } from "./run-context.ts";
import type { RunInput } from "./run-input.ts";
import { isSend, packetOf, type Send } from "./send.ts";

/** The checkpoint that a run starts from. */
interface Entrance {
  readonly run: RunContext;
  readonly tuple: CheckpointTuple | undefined;
  /** Whether it is the newest of the thread. */
  readonly isHead: boolean;
  /** Whether the caller named it. */
  readonly isNamed: boolean;
}

/**
 * Brings a run to where its loop can begin: loads the checkpoint, checks that what the caller brings fits it, and applies
 * it in one commit. Throws a `RefusedError` when it does not fit; nothing is changed then.
 */
export async function enter(run: RunContext, input: RunInput): Promise<LoopState> {
  if (run.nesting !== undefined) return enterTask(run, run.nesting, input);
  const entrance = await load(run);
  return input.kind === "continue" && run.standsAt !== undefined
    ? enterInside(entrance, run.standsAt)
    : enterAt(entrance, input);
}

function enterAt(entrance: Entrance, input: RunInput): Promise<LoopState> {
  switch (input.kind) {
    case "input":
      return enterWithInput(entrance, input.value);
    case "answers":
      return enterWithAnswers(entrance, input.answers, []);
    case "command":
      return enterWithCommand(entrance, input.command);
    case "continue":
      return enterAgain(entrance);
  }
}

/** A graph inside a task is to go on from an older checkpoint of its own: on a branch of the whole thread. */
async function enterInside(
  { run, tuple }: Entrance,
  stands: Readonly<Record<string, string>>,
): Promise<LoopState> {
  const loop = new LoopState(run, tuple);
  return resumed(await openBranch(loop, loop.plan(), { answers: new Map(), stands }, []));
}

/**
 * A nested run: goes on where it was left when its task runs again, whatever it is called with; else it takes its input
 * on top of the history it has.
 */
async function enterTask(run: RunContext, { task }: Nesting, input: RunInput): Promise<LoopState> {
  const { left, base } = await findVisit(run);
  if (task.isOver) throw new RunEndedError();
  if (left !== undefined) {
    const loop = resumed(new LoopState(run, left));
    loop.relayUsage({});
    for (const { id } of loop.plan()) {
      task.scratchpad.disown(loop.pending.questionsOf(id).map((question) => question.id));
    }
    return loop;
  }
  return enterAt({ run, tuple: base, isHead: true, isNamed: false }, input);
}

async function load(run: RunContext): Promise<Entrance> {
  const named = run.config.configurable?.checkpoint_id;
  const head = await run.saver?.getTuple(saverConfig(run.config));
  const isHead = named === undefined || named === head?.checkpoint.id;
  const tuple = isHead ? head : await run.saver?.getTuple(saverConfig(run.config, named));
  if (tuple === undefined && named !== undefined) throw new CheckpointNotFoundError(named);
  if (head !== undefined) run.environment.checkpointIds.observe(head.checkpoint.id);
  const loaded = await hydrated(run.graph, run.saver, tuple);
  return { run, tuple: loaded, isHead, isNamed: named !== undefined };
}

async function enterWithInput({ run, tuple, isHead }: Entrance, value: unknown): Promise<LoopState> {
  const writes = await inputWrites(run.graph, value);
  const loop = resumed(new LoopState(run, tuple));
  const discarded = loop.plan();
  const open = openInterruptIds(discarded, loop.pending);
  if (open.length > 0 && isHead && run.onInterrupted === "refuse") throw new ThreadInterruptedError(open);

  const tasks: AppliedTask[] = discarded.map((task) => ({ ...task, writes: [] }));
  tasks.push({ name: INPUT, pathKey: "", triggers: [], writes });
  loop.state.dropChannels(loop.state.unknownChannels(BRANCH_TO));
  applyWrites(loop.state, tasks, nextVersionOf(run.saver));
  await loop.commit("input", { appliesInput: true });
  loop.hasNewInput = true;
  return loop;
}

async function enterAgain({ run, tuple, isHead }: Entrance): Promise<LoopState> {
  if (tuple === undefined) {
    throw noInput(run.graph, "the thread has nothing to continue.");
  }
  if (isHead) {
    const loop = new LoopState(run, tuple);
    loop.noteInput();
    return resumed(loop);
  }
  const loop = new LoopState(run, tuple, new PendingWrites());
  await loop.commit("fork", { appliesInput: true });
  return loop;
}

async function enterWithCommand(entrance: Entrance, command: Command): Promise<LoopState> {
  const { run, tuple, isHead } = entrance;
  if (command.graph === Command.PARENT) {
    throw new InvalidArgumentError(
      "invalid_command",
      "A run cannot be started with a Command for a parent graph: there is none.",
    );
  }
  const writes = await commandWrites(run, command);
  if (command.resume !== undefined && command.resume !== null) {
    const answers = answersOf(command.resume) ?? answerToOnly(await answerable(entrance), command.resume);
    return enterWithAnswers(entrance, answers, writes);
  }
  if (command.update === undefined && command.goto.length === 0) {
    throw new EmptyInputError("The Command is empty: it neither answers, nor updates, nor goes anywhere.");
  }
  const loop = resumed(new LoopState(run, tuple));
  const goneTo = new Set<unknown>(command.goto);
  // What has finished is kept, except where the command asks for it again.
  const isKept = ({ id, name }: PlannedTask): boolean =>
    isHead && !(goneTo.has(name) && loop.pending.outputOf(id) !== undefined);
  const tasks = loop.plan();
  loop.applyOutside(writes);
  loop.state.updated = undefined;
  await commitEdit(loop, "input", tasks, isKept);
  return loop;
}

/** The questions an answer without an id may mean: the open ones, or, at a named checkpoint without, those answered. */
async function answerable({ run, tuple, isNamed }: Entrance): Promise<readonly string[]> {
  const loop = new LoopState(run, tuple);
  const tasks = loop.plan();
  const open = shownQuestions(await unsettled(loop, tasks)).map(({ id }) => id);
  return open.length === 0 && isNamed ? askedInterruptIds(tasks, loop.pending) : open;
}

/** The open questions and waits whose answers would be taken, in the order of their tasks. */
function unsettled(loop: LoopState, tasks: readonly PlannedTask[]): Promise<readonly Question[]> {
  const open = tasks.flatMap(({ id }) => openQuestions(loop.pending, id));
  return withoutSettled(loop, open);
}

async function enterWithAnswers(
  { run, tuple, isHead, isNamed }: Entrance,
  answers: ReadonlyMap<string, unknown>,
  writes: readonly PendingWrite[],
): Promise<LoopState> {
  if (tuple === undefined) throw new UnknownInterruptError("not_pending", [...answers.keys()], []);
  const loop = new LoopState(run, tuple);
  const tasks = loop.plan();
  const open = (await unsettled(loop, tasks)).map(({ id }) => id);
  if (answers.size === 0) throw new UnknownInterruptError("empty_map", [], open);
  if (isNamed && !(isHead && [...answers.keys()].every((id) => open.includes(id)))) {
    const place = { graph: run.graph, from: loop.namespace, tasks, pending: loop.pending };
    const never: string[] = [];
    for (const id of answers.keys()) {
      if ((await findQuestion(run, place, id)) === undefined) never.push(id);
    }
    if (never.length > 0) throw new UnknownInterruptError("not_pending", never, open);
    return resumed(await openBranch(loop, tasks, { answers }, writes));
  }
  requireOpen(answers, open);
  loop.noteInput();
  await loop.store(loop.pending.nextOutsideId(), [[RESUME, adopt(new Map(answers))], ...writes]);
  return resumed(loop);
}

/** Applies what earlier commands have left at the checkpoint. */
export function resumed(loop: LoopState): LoopState {
  const writes = loop.pending.outside();
  if (writes.length > 0) {
    loop.applyOutside(writes);
    loop.state.updated = undefined;
  }
  return loop;
}

async function commandWrites(run: RunContext, command: Command): Promise<PendingWrite[]> {
  const entries = commandUpdates(command, run.graph.channels.has(ROOT));
  run.graph.checkUpdate?.(entries.map(([key]) => key));
  const given = entries.filter(([channel]) => run.graph.channels.has(channel));
  const updates = run.graph.schemas === undefined ? given : await run.graph.schemas.update(given);
  return [
    ...updates.map(([channel, value]): PendingWrite => [channel, adopt(value)]),
    ...command.goto.flatMap((target) => gotoWrite(run, target)),
  ];
}

function gotoWrite(run: RunContext, target: string | Send): PendingWrite[] {
  const node = isSend(target) ? target.node : target;
  if (target === END) return [];
  if (!run.graph.nodes.has(node)) {
    throw new RefusedError("unknown_node", `The Command goes to "${node}", which this graph does not have.`, {
      details: { node },
    });
  }
  if (isSend(target)) return [[TASKS, adopt(packetOf(target))]];
  return [[`${BRANCH_TO}${node}`, START]];
}
