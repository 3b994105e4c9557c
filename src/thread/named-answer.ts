import { UnknownInterruptError } from "../errors.ts";
import type { StartRun } from "./protocol.ts";
import type { StateReader } from "./state-reader.ts";
import type { ThreadStorage } from "./thread-storage.ts";

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
  if (input.kind === "answers" && start.request.isForProtocol === true)
    await requireAsked(storage, states, start);
  if (input.kind === "input" && input.mayAnswer === true) return withInputAsAnswer(storage, states, start);
  if (input.kind !== "command" || input.resume === undefined || checkpointId !== undefined) return start;
  if (input.update !== undefined || input.goto.length > 0 || storage.thread() === undefined) return start;
  const [only, ...others] = answeredNow(storage) ?? (await openNow(states, start.threadId));
  if (only === undefined || others.length > 0) return start;
  const answers = [[only, input.resume] as const];
  return { ...start, request: { ...start.request, input: { kind: "answers", answers } } };
}

/** Of a thread that asks nothing, or has a run under way, it stays an input. */
async function withInputAsAnswer<Start extends StartRun>(
  storage: ThreadStorage,
  states: StateReader,
  start: Start,
): Promise<Start> {
  const { input, checkpointId } = start.request;
  if (input.kind !== "input" || checkpointId !== undefined) return start;
  if (storage.thread() === undefined || storage.runs.first() !== undefined) return start;
  const open = await openNow(states, start.threadId);
  const [only, ...others] = open;
  if (only === undefined) return start;
  if (others.length > 0) throw new UnknownInterruptError("ambiguous", [], open);
  const answers = [[only, input.value] as const];
  return { ...start, request: { ...start.request, input: { kind: "answers", answers } } };
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
  if (input.kind !== "answers" || checkpointId !== undefined) return;
  if (storage.thread() === undefined || storage.runs.first() !== undefined) return;
  const open = await openNow(states, threadId);
  const isKnown = (id: string): boolean => open.includes(id) || storage.answers.of(id).length > 0;
  const unknown = input.answers.map(([id]) => id).filter((id) => !isKnown(id));
  if (unknown.length > 0) throw new UnknownInterruptError("not_pending", unknown, open);
}

/** The questions that the runs under way were started to answer; undefined when there is none. */
function answeredNow({ runs, answers }: ThreadStorage): readonly string[] | undefined {
  const answered = runs.queued().flatMap((id) => answers.ofRun(id).map(({ interruptId }) => interruptId));
  return answered.length === 0 ? undefined : [...new Set(answered)];
}

async function openNow(states: StateReader, threadId: string): Promise<readonly string[]> {
  const { interrupts } = await states.standing(threadId);
  return interrupts.map(({ id }) => id);
}
