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

async function isStillAsked(loop: LoopState, { id, ns }: Question): Promise<boolean> {
  if (ns === undefined || ns === loop.namespace) return true;
  const below = stepsOf(ns).slice(stepsOf(loop.namespace).length);
  for (const { namespace } of below) {
    const head = await loop.run.saver?.getTuple({
      configurable: { ...threadOf(loop), checkpoint_ns: namespace },
    });
    if (head === undefined) continue;
    const isAsked = (head.pendingWrites ?? []).some(
      ([, channel, value]) => channel === INTERRUPT && holds(value, id),
    );
    if (!isAsked) return false;
  }
  return true;
}

function holds(value: unknown, id: string): boolean {
  const questions: unknown[] = Array.isArray(value) ? value : [value];
  return questions.some((question) => isQuestion(question) && question.id === id && !question.carried);
}

function threadOf(loop: LoopState): { thread_id?: string } {
  const thread_id = loop.run.config.configurable?.thread_id;
  return thread_id === undefined ? {} : { thread_id };
}
