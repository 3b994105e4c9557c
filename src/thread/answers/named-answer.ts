import { UnknownInterruptError } from "../../errors.ts";
import { answersOf } from "../../named-answers.ts";
import type { AnswerRecord } from "./answer-rows.ts";
import { interruptAnswered } from "../errors.ts";
import { answerHashes, givenAnswers } from "./given-answers.ts";
import type { StartRun } from "../runs/run-protocol.ts";
import type { RequestedCommand, RequestedInput } from "../runs/run-request.ts";
import type { StateReader } from "../state/state-reader.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/**
 * An answer that names no question is for the one that is open, when there is no more than one; while a run goes on that was
 * started with an answer, it is for the question of that one, which is what its sender has seen. Under its name it is
 * recorded, and recognised when it comes again, as any other.
 */
export async function withNamedAnswer<Start extends StartRun>(
  storage: ThreadStorage,
  states: StateReader,
  start: Start,
): Promise<Start> {
  const { input, checkpointId } = start.request;
  if (start.request.isForProtocol === true) await requireAsked(storage, states, start);
  if (input.kind === "input" && input.mayAnswer === true) return withInputAsAnswer(storage, states, start);
  if (input.kind !== "command" || input.resume === undefined || checkpointId !== undefined) return start;
  if (storage.thread() === undefined || isNamed(input)) return start;
  const answered = new Set(answeredNow(storage).map(({ interruptId }) => interruptId));
  const [only, ...others] = answered.size > 0 ? answered : await openNow(states, start.threadId);
  if (only === undefined || others.length > 0) return start;
  return withInput(start, answerTo(only, input));
}

/** What is written, and where the command goes, stays beside the answer. */
function answerTo(
  interruptId: string,
  command: { readonly kind: "command" } & RequestedCommand,
): RequestedInput {
  const { resume, update, goto } = command;
  return update === undefined && goto.length === 0
    ? { kind: "answers", answers: [[interruptId, resume]] }
    : { ...command, resume: { [interruptId]: resume } };
}

/** Whether a command that does more than answer names its questions, or has no answer: null is none there. */
function isNamed({ resume, update, goto }: RequestedCommand): boolean {
  return (update !== undefined || goto.length > 0) && (resume === null || answersOf(resume) !== undefined);
}

function withInput<Start extends StartRun>(start: Start, input: RequestedInput): Start {
  return { ...start, request: { ...start.request, input } };
}

/** Of a thread that asks nothing it stays an input, and where its sender knows of the run under way. */
async function withInputAsAnswer<Start extends StartRun>(
  storage: ThreadStorage,
  states: StateReader,
  start: Start,
): Promise<Start> {
  const { input, checkpointId } = start.request;
  if (input.kind !== "input" || checkpointId !== undefined || storage.thread() === undefined) return start;
  const isIdle = storage.queue.first() === undefined;
  const asked = isIdle ? await openNow(states, start.threadId) : await answeredWith(storage, input);
  const [only, ...others] = asked;
  if (only === undefined) return start;
  if (others.length > 0) throw new UnknownInterruptError("ambiguous", [], asked);
  return withInput(start, { kind: "answers", answers: [[only, input.value]] });
}

/**
 * The question that a run under way was started to answer with this very input, which has come again. Another one comes too
 * late for the question that its sender has seen.
 */
async function answeredWith(
  storage: ThreadStorage,
  { value, isFollowing }: Extract<RequestedInput, { readonly kind: "input" }>,
): Promise<readonly string[]> {
  const records = answeredNow(storage);
  if (records.length === 0) return [];
  const { hash, earlier } = await answerHashes(storage.serde, { value });
  const same = records.find((record) => record.hash === hash || earlier.includes(record.hash));
  if (same !== undefined) return [same.interruptId];
  if (isFollowing === true) return [];
  throw interruptAnswered(records);
}

/**
 * Listeners hear at once of an answer to what nobody has asked, unless a run goes on that may ask it yet. An answer to what
 * was answered is led to its run later.
 */
async function requireAsked(
  storage: ThreadStorage,
  states: StateReader,
  { threadId, request: { input, checkpointId } }: StartRun,
): Promise<void> {
  const given = givenAnswers(input);
  if (given.length === 0 || checkpointId !== undefined) return;
  if (storage.thread() === undefined || storage.queue.first() !== undefined) return;
  const open = await openNow(states, threadId);
  const isKnown = (id: string): boolean => open.includes(id) || storage.answers.of(id).length > 0;
  const unknown = given.map(({ interruptId }) => interruptId).filter((id) => !isKnown(id));
  if (unknown.length > 0) throw new UnknownInterruptError("not_pending", unknown, open);
}

/** Where a time was waited for, or an event, nobody was asked. */
function isOfQuestion({ answeredBy }: AnswerRecord): boolean {
  return answeredBy !== "timer" && answeredBy !== "event";
}

/** What the runs under way were started to answer. */
function answeredNow({ queue, answers }: ThreadStorage): readonly AnswerRecord[] {
  return queue.all().flatMap((id) => answers.ofRun(id).filter(isOfQuestion));
}

async function openNow(states: StateReader, threadId: string): Promise<readonly string[]> {
  const { interrupts } = await states.standing(threadId);
  return interrupts.map(({ id }) => id);
}
