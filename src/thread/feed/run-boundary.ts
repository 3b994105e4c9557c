import { stringifyJson } from "../../json.ts";
import type { RunEnd } from "../runs/run-end.ts";
import type { RunRow } from "../runs/run-row.ts";
import { atEnd, eventNumber } from "./event-number.ts";
import { eventText, type FeedEvent } from "./feed-event.ts";
import { loggedData } from "./logged-form.ts";
import type { ProtocolEvent } from "./protocol-event.ts";

/** What is known of a run without its log: that it has begun, what it answers, what it asks, and how it came out. */

type Position = Parameters<typeof eventNumber>[0]["position"];

/** Of the last event that says that a run has begun. */
export const BEGUN: Position = { attempt: 0, seq: 1 };

/** `answered`: the questions that it was started to answer. */
export function beginning(run: RunRow, graph: string, answered: readonly string[]): FeedEvent[] {
  const at = run.startedAt ?? run.endedAt ?? run.createdAt;
  const begun = lifecycle("running", graph);
  if (answered.length === 0) return [numbered(run, { attempt: 0, seq: 0 }, begun, at)];
  const answers = { method: "input.answered", namespace: [], data: { interrupt_ids: answered } } as const;
  return [numbered(run, { attempt: 0, seq: 0 }, begun, at), numbered(run, BEGUN, answers, at)];
}

export function ending(run: RunRow, graph: string, end: RunEnd): FeedEvent[] {
  const events = [...end.interrupts.map((interrupt) => requested(interrupt, end)), outcome(run, graph, end)];
  return events.map((event, index) =>
    numbered(run, atEnd(index, events.length), event, run.endedAt ?? run.createdAt),
  );
}

function requested({ id, value, ...more }: RunEnd["interrupts"][number], { askedIn }: RunEnd): ProtocolEvent {
  return {
    method: "input.requested",
    namespace: askedIn?.[id] ?? [],
    // Clients of one family read the payload, of another the value.
    data: { interrupt_id: id, payload: value, value, ...more },
  };
}

function outcome(run: RunRow, graph: string, { status, error, checkpointId }: RunEnd): ProtocolEvent {
  const more = checkpointId === undefined ? {} : { checkpoint: { id: checkpointId } };
  // In LangGraph's words a run that was cancelled is interrupted.
  if (run.status === "interrupted") return lifecycle("interrupted", graph);
  if (error !== undefined) return lifecycle("failed", graph, { ...more, ...failure(error) });
  return lifecycle(status === "success" ? "completed" : "interrupted", graph, more);
}

/** Answers that came too late are told apart: their client gives the questions back. */
function failure({
  code,
  message,
  details,
}: NonNullable<RunEnd["error"]>): Readonly<Record<string, unknown>> {
  if (!code.startsWith("interrupt_")) return { error: message, code };
  const { interrupt_ids = [], pending = [] } = details;
  return { error: message, code, reason: code, interrupt_ids, pending_ids: pending };
}

function lifecycle(
  event: string,
  graph: string,
  more: Readonly<Record<string, unknown>> = {},
): ProtocolEvent {
  return { method: "lifecycle", namespace: [], data: { event, graph_name: graph, ...more } };
}

/** Clients find the run of such an event in its id. */
function numbered(run: RunRow, position: Position, event: ProtocolEvent, time: number): FeedEvent {
  const number = eventNumber({ place: run.place ?? 0, position });
  return {
    number,
    method: event.method,
    namespace: event.namespace,
    text: eventText(number, `synth:${run.id}:${number}`, stringifyJson(loggedData(event, time))),
  };
}
