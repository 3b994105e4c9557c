import { payloadOf } from "./custom-data.ts";
import { loggedEvent, type LoggedEvent } from "../events/logged-event.ts";
import type { ProtocolEvent } from "./protocol-event.ts";

/** How events of the protocol are kept in the log of a run: under names that are no mode's, ready to be sent. */

const MARK = "@";

/** As `data` of a server-sent event. */
export interface LoggedProtocolEvent {
  readonly method: ProtocolEvent["method"];
  readonly params: {
    readonly namespace: readonly string[];
    /** In milliseconds since 1970. */
    readonly timestamp: number;
    readonly node?: string;
    readonly data: unknown;
  };
}

export function loggedName({ method, namespace }: ProtocolEvent): string {
  return MARK + [method, ...namespace].join("|");
}

export function loggedData(event: ProtocolEvent, timestamp: number): LoggedProtocolEvent {
  const { method, namespace, node, data } = event;
  return { method, params: { namespace, timestamp, ...(node !== undefined && { node }), data } };
}

export function isProtocolEvent({ name }: LoggedEvent): boolean {
  return name.startsWith(MARK);
}

/** The method and the namespace of an event, whichever form it is kept in. */
export function partsOfName(name: string): {
  readonly method: string;
  readonly namespace: readonly string[];
} {
  const [method = "", ...namespace] = (name.startsWith(MARK) ? name.slice(MARK.length) : name).split("|");
  return { method, namespace };
}

/** The JSON text of an event's data. */
export function dataText({ text }: LoggedEvent): string {
  const start = text.indexOf("\ndata: ") + "\ndata: ".length;
  return text.slice(start, text.lastIndexOf("\nid: "));
}

/** For readers of the run, who know modes: values, updates and what nodes emit. Nothing of the rest. */
export function inModes(event: LoggedEvent): LoggedEvent[] {
  if (!isProtocolEvent(event)) return [event];
  const { method, namespace } = partsOfName(event.name);
  if (method !== "values" && method !== "updates" && method !== "custom") return [];
  // Written by `loggedData`.
  const { params } = JSON.parse(dataText(event)) as LoggedProtocolEvent;
  const name = [method, ...namespace].join("|");
  return [loggedEvent(event.position, name, dataInMode(method, params))];
}

function dataInMode(method: "values" | "updates" | "custom", params: LoggedProtocolEvent["params"]): unknown {
  const { data, node = "" } = params;
  if (method === "updates") return { [node]: data };
  return method === "custom" ? payloadOf(data) : data;
}
