import type { Interrupt } from "../../interrupt-error.ts";
import type { Waiting } from "../../pregel/question.ts";
import { timeoutOf } from "../../pregel/waited.ts";

/** What a thread stands at: what is asked, and what is waited for. */
export interface Standing {
  readonly interrupts: readonly Interrupt[];
  readonly waiting?: readonly Waiting[];
}

/** What the thread stands at when a run has left: what it stood at before, or something that is to be found out. */
export type StandingAfter = Standing | "same" | "unknown";

/** An answer that nobody gives. */
export interface DueAnswer {
  readonly interruptId: string;
  readonly value: unknown;
  /** For the record. */
  readonly by: "timer" | "expiry";
}

/** What times have come to. */
export function dueAnswers({ interrupts, waiting = [] }: Standing, now: number): readonly DueAnswer[] {
  const over = waiting
    .filter(({ until }) => isOver(until, now))
    .map((wait): DueAnswer => ({ interruptId: wait.id, value: timeoutOf(wait) ?? null, by: "timer" }));
  const expired = interrupts
    .filter((question) => isOver(question.expires_at, now))
    .map((question): DueAnswer => ({ interruptId: question.id, value: question.default, by: "expiry" }));
  return [...over, ...expired];
}

/** When the next time comes, in milliseconds since 1970; undefined when none does. `except`: ids that do not count. */
export function nextTime(
  { interrupts, waiting = [] }: Standing,
  except: ReadonlySet<string> = new Set(),
): number | undefined {
  const ends = [
    ...waiting.map(({ id, until }) => ({ id, time: until })),
    ...interrupts.map(({ id, expires_at }) => ({ id, time: expires_at })),
  ];
  const times = ends.flatMap(({ id, time }) =>
    time === undefined || except.has(id) ? [] : [Date.parse(time)],
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The events that are waited for, in the order of their tasks. */
export function awaitedEvents({ waiting = [] }: Standing): readonly (Waiting & { readonly kind: "event" })[] {
  return waiting.flatMap((wait) => (wait.kind === "event" ? [wait] : []));
}

function isOver(time: string | undefined, now: number): boolean {
  return time !== undefined && Date.parse(time) <= now;
}
