import { stringifyEvent } from "../../json.ts";
import { eventId, positionOf, type Position } from "./position.ts";

/** An event as it is kept and sent: the text of a server-sent event with its id. */
export interface LoggedEvent {
  readonly position: Position;
  readonly name: string;
  readonly text: string;
}

export function loggedEvent(position: Position, name: string, data: unknown): LoggedEvent {
  return { position, name, text: stringifyEvent(name, data, eventId(position)) };
}

const NAME = "event: ";
const DATA = "\ndata: ";
const ID = "\nid: ";

/** The stream mode that it is of. */
export function modeOf({ name }: LoggedEvent): string {
  return name.split("|", 1)[0] ?? "";
}

export function dataOf({ text }: LoggedEvent): unknown {
  return JSON.parse(text.slice(text.indexOf(DATA) + DATA.length, text.lastIndexOf(ID)));
}

export function withoutId({ text }: LoggedEvent): string {
  return `${text.slice(0, text.lastIndexOf(ID))}\n\n`;
}

/** Takes apart what is kept together. */
export function* parseEvents(text: string): Generator<LoggedEvent, void, undefined> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n\n", start) + 2;
    const id = text.lastIndexOf(ID, end);
    yield {
      position: positionOf(text.slice(id + ID.length, end - 2)),
      name: text.slice(start + NAME.length, text.indexOf("\n", start)),
      text: text.slice(start, end),
    };
    start = end;
  }
}
