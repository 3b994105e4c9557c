import { InvalidArgumentError, ThreadInterruptedError, UnknownInterruptError } from "../../errors.ts";
import type { Interrupt } from "../../interrupt-error.ts";
import { commandOf } from "../runs/command-of.ts";
import { parseLimits, type LimitOptions, type LimitReached, type RunLimits } from "../../pregel/limits.ts";
import type { RunInput } from "../../pregel/run-input.ts";
import { questionFor, shownQuestion, stageQuestion, type LimitQuestion } from "./limit-question.ts";
import type { RequestedInput, RunRequest } from "../runs/run-request.ts";
import type { RunRow } from "../runs/run-row.ts";
import type { Standing } from "../state/standing.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** What a run does, and how far it may go. */
export interface LimitedRun {
  readonly input: RunInput;
  readonly limits: RunLimits | undefined;
  readonly options: LimitOptions;
  /** The question of the thread's own that it leaves as it is, and stops at. */
  readonly standing?: LimitQuestion;
  /** It answers the thread's own question. */
  readonly isAnswer: boolean;
  /** It is to do nothing but end. */
  readonly isStop: boolean;
}

/**
 * What a run comes to where its thread stands at a limit: an answer says how it goes on. Without one it takes in what else
 * it brings, and goes no further; new input discards the question where it is allowed to. Throws a `RefusedError` for what
 * does not fit. `standing`: what the thread stands at.
 */
export async function limitedRun(
  storage: ThreadStorage,
  threadId: string,
  run: RunRow,
  request: RunRequest,
  standing: () => Promise<Standing>,
): Promise<LimitedRun> {
  const input = inputOf(run, request);
  const options = { start: run.began, startedAt: run.startedAt };
  const plain = { input, limits: request.limits, options, isAnswer: false, isStop: false };
  const question = await questionFor(storage, threadId, run.id);
  if (question === undefined || isElsewhere(run, request, question)) return plain;
  if (request.input.kind === "input") {
    if (!run.inputApplied && request.onInterrupted === "refuse")
      throw new ThreadInterruptedError([question.id]);
    return plain;
  }
  // Whoever edits the state leaves the question behind.
  if (isEdit(request.input)) return plain;
  const answers = await answersTo(question, request.input, standing);
  if (answers.has(question.id)) return { ...plain, ...answered(run, request, question, answers) };
  return { ...plain, limits: {}, options: { ...options, standing: question.reached }, standing: question };
}

/** What the end of such a run shows and stores. */
export interface LimitPause {
  readonly question: Interrupt;
  /** Part of the transaction in which the run ends. */
  readonly write: () => void;
}

export async function pauseAtLimit(
  storage: ThreadStorage,
  { id: runId }: RunRow,
  { checkpointId, limit, used, allowed }: LimitReached & { readonly checkpointId: string },
  { standing, limits = {} }: LimitedRun,
): Promise<LimitPause> {
  if (standing !== undefined) return { question: shownQuestion(standing), write: () => undefined };
  const reached = { limit, used, allowed };
  const row = await stageQuestion(storage, { runId, checkpointId }, { reached, limits });
  const question = shownQuestion({ id: row.interruptId, reached });
  return { question, write: () => storage.limitQuestion.put(row) };
}

/** A run that is entered again gets its input only when no commit holds it yet. */
function inputOf(run: RunRow, { input }: RunRequest): RunInput {
  if (run.inputApplied) return { kind: "continue" };
  if (input.kind === "answers") return { kind: "answers", answers: new Map(input.answers) };
  if (input.kind !== "command") return input;
  const { kind, ...command } = input;
  return { kind, command: commandOf(command) };
}

function isEdit(input: RequestedInput): boolean {
  return input.kind === "command" && (input.update !== undefined || input.goto.length > 0);
}

/** By the ids of questions; an answer without one is for the only question there is. */
async function answersTo(
  question: LimitQuestion,
  input: RequestedInput,
  standing: () => Promise<Standing>,
): Promise<ReadonlyMap<string, unknown>> {
  if (input.kind === "answers") return new Map(input.answers);
  if (input.kind !== "command" || input.resume === undefined) return new Map();
  const open = question.takenBy === undefined ? (await standing()).interrupts : [];
  if (open.length > 1)
    throw new UnknownInterruptError(
      "ambiguous",
      [],
      open.map(({ id }) => id),
    );
  return new Map([[question.id, input.resume]]);
}

function isElsewhere(
  { inputApplied }: RunRow,
  { checkpointId }: RunRequest,
  question: LimitQuestion,
): boolean {
  return !inputApplied && checkpointId !== undefined && checkpointId !== question.checkpointId;
}

function answered(
  run: RunRow,
  { limits }: RunRequest,
  question: LimitQuestion,
  answers: ReadonlyMap<string, unknown>,
): Pick<LimitedRun, "input" | "limits" | "isAnswer" | "isStop"> {
  const value = answers.get(question.id);
  const others = new Map([...answers].filter(([id]) => id !== question.id));
  const isStop = value === false;
  if (limits !== undefined) throw invalidAnswer("The answer says the limits: leave out those beside it.");
  if (isStop && others.size > 0) throw invalidAnswer("Where the answer is false, nothing else is answered.");
  return {
    input:
      run.inputApplied || others.size === 0 ? { kind: "continue" } : { kind: "answers", answers: others },
    limits: value === true ? question.limits : isStop ? undefined : parseLimits(value),
    isAnswer: true,
    isStop,
  };
}

function invalidAnswer(message: string): InvalidArgumentError {
  return new InvalidArgumentError("invalid_limits", message);
}
