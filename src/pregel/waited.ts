import { isObject } from "../values/containers.ts";
import type { ErrorDetails } from "../errors.ts";
import type { Wait } from "./question.ts";
import { acceptAnswer, type Acceptance, type ResponseSchema } from "./response-schema.ts";

/** What `waitForEvent` returns when the event came. */
export interface ReceivedEvent<Payload = unknown> {
  readonly timedOut: false;
  readonly payload: Payload;
}

/** What `waitForEvent` returns when the time was over. */
export interface EventTimeout {
  readonly timedOut: true;
}

/** What a wait comes to whose time is over; undefined while it is not. */
export function overdue(wait: Wait, now: number): Acceptance | undefined {
  if (wait.until === undefined || Date.parse(wait.until) > now) return undefined;
  return { ok: true, value: timeoutOf(wait) };
}

/** The answer to a wait when its time is over. */
export function timeoutOf({ kind }: Wait): EventTimeout | undefined {
  return kind === "event" ? { timedOut: true } : undefined;
}

/** A sleep is over by any answer; an event's is what `waitForEvent` returns. */
export function acceptWaited(wait: Wait, schema: ResponseSchema | undefined, answer: unknown): Acceptance {
  if (wait.kind === "sleep") return { ok: true, value: undefined };
  if (isTimeout(answer)) return { ok: true, value: { timedOut: true } };
  if (!isReceived(answer)) return { ok: false, issues: [NO_EVENT] };
  const accepted = acceptAnswer(schema, answer.payload);
  return accepted.ok ? { ok: true, value: { timedOut: false, payload: accepted.value } } : accepted;
}

const NO_EVENT: ErrorDetails = {
  message: "answer with { timedOut: false, payload } or { timedOut: true }",
  path: [],
};

function isTimeout(answer: unknown): answer is EventTimeout {
  return isObject(answer) && "timedOut" in answer && answer.timedOut === true;
}

function isReceived(answer: unknown): answer is ReceivedEvent {
  return isObject(answer) && "timedOut" in answer && "payload" in answer;
}
