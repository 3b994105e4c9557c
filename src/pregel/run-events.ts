import { INTERRUPT, WAITING } from "./constants.ts";
import { EventQueue } from "./event-queue.ts";
import type { RunContext } from "./run-context.ts";
import { startRun, throwUnlessEnded } from "./start-run.ts";
import type { RunOutcome, StreamEvent } from "./types.ts";

/** What a run listens to and tells. */
interface Ends {
  readonly emit: (event: StreamEvent) => void;
  readonly signal: AbortSignal;
}

/** A run that has been started. */
export interface StartedRun {
  /** What it tells, until its end; throws how it ended, unless well. */
  readonly events: AsyncIterable<StreamEvent>;
  /** Cancels it, if it has not ended, and waits for its end. */
  readonly leave: (reason?: unknown) => Promise<void>;
}

export function runEvents(
  contextOf: (ends: Ends) => RunContext,
  input: unknown,
  signal: AbortSignal | undefined,
): StartedRun {
  const queue = new EventQueue<StreamEvent>();
  const left = new AbortController();
  const run = contextOf({
    emit: (event) => queue.push(event),
    signal: signal === undefined ? left.signal : AbortSignal.any([left.signal, signal]),
  });
  const outcome = startRun(run, input);
  let isRunning = true;
  const end = (): void => {
    isRunning = false;
    queue.end();
  };
  const settled = outcome.then(end, end);
  return {
    events: eventsUntil(queue, async () => throwUnlessEnded(run, await outcome)),
    leave: async (reason = new Error("The stream was left before its end.")) => {
      if (isRunning) left.abort(reason);
      await settled;
    },
  };
}

async function* eventsUntil(
  queue: EventQueue<StreamEvent>,
  end: () => Promise<void>,
): AsyncGenerator<StreamEvent, void, undefined> {
  yield* queue;
  await end();
}

/** The events as callers get them: `pairs` with their mode, `namespaces` with the graph they are from. */
export async function* chunksOf(
  events: AsyncIterable<StreamEvent>,
  options: { readonly pairs: boolean; readonly namespaces: boolean },
): AsyncGenerator<unknown, void, undefined> {
  for await (const { mode, payload, namespace = [] } of events) {
    if (options.pairs) yield options.namespaces ? [namespace, mode, payload] : [mode, payload];
    else yield options.namespaces ? [namespace, payload] : payload;
  }
}

/** What `invoke` returns: the last values, with the questions and the waits of a run that ended with some. */
export function resultOfRun(outcome: RunOutcome, values: unknown): unknown {
  const isEmpty = values === undefined || values === null;
  if (!isEmpty && typeof values !== "object") return values;
  if (outcome.status !== "interrupted") return values;
  const { interrupts, waiting } = outcome;
  if (waiting.length === 0) return { ...values, [INTERRUPT]: interrupts };
  return { ...values, ...(interrupts.length === 0 ? {} : { [INTERRUPT]: interrupts }), [WAITING]: waiting };
}
