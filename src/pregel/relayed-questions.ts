import type { CheckpointTuple } from "../checkpoint/types.ts";
import { INTERRUPT } from "./constants.ts";
import type { LoopState } from "./loop-state.ts";
import { stepsOf } from "./namespace.ts";
import { isQuestion, type Question } from "./question.ts";

/**
 * Whether graphs inside a task still ask what the task has passed on: an update of one of them, or of one between, may
 * have moved it on since. Then the task has to run again to find out what comes next.
 */
export async function areStillAsked(loop: LoopState, questions: readonly Question[]): Promise<boolean> {
  for (const question of questions) if (!(await isStillAsked(loop, question))) return false;
  return true;
}

/** The questions without those that an edit inside their task has settled: their answers would get lost. */
export async function withoutSettled(
  loop: LoopState,
  questions: readonly Question[],
): Promise<readonly Question[]> {
  const open: Question[] = [];
  for (const question of questions) if (!(await isSettled(loop, question))) open.push(question);
  return open;
}

async function isStillAsked(loop: LoopState, { id, ns }: Question): Promise<boolean> {
  for await (const head of headsBelow(loop, ns)) {
    if (!asks(head, (question) => question.id === id && !question.carried)) return false;
  }
  return true;
}

async function isSettled(loop: LoopState, { id, ns }: Question): Promise<boolean> {
  for await (const head of headsBelow(loop, ns)) {
    if (head.metadata?.source === "update" && !asks(head, (question) => question.id === id)) return true;
  }
  return false;
}

/** The newest checkpoint of each graph on the way to the one in the namespace, outermost first. */
async function* headsBelow(loop: LoopState, ns: string | undefined): AsyncGenerator<CheckpointTuple> {
  if (ns === undefined || ns === loop.namespace) return;
  for (const { namespace } of stepsOf(ns).slice(stepsOf(loop.namespace).length)) {
    const head = await loop.run.saver?.getTuple({
      configurable: { ...threadOf(loop), checkpoint_ns: namespace },
    });
    if (head !== undefined) yield head;
  }
}

function asks({ pendingWrites = [] }: CheckpointTuple, which: (question: Question) => boolean): boolean {
  return pendingWrites
    .filter(([, channel]) => channel === INTERRUPT)
    .flatMap(([, , value]) => value)
    .some((question) => isQuestion(question) && which(question));
}

function threadOf(loop: LoopState): { thread_id?: string } {
  const thread_id = loop.run.config.configurable?.thread_id;
  return thread_id === undefined ? {} : { thread_id };
}
