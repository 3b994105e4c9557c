import type { LoggedEvent } from "../events/logged-event.ts";
import { eventNumber } from "./event-number.ts";
import { eventText, type FeedEvent } from "./feed-event.ts";
import { dataText, isProtocolEvent, partsOfName } from "./logged-form.ts";

/** What the run in this place has told, as events of the thread. `time`: for runs that do not say when they said something. */
export function* loggedFeed(
  place: number,
  events: Iterable<LoggedEvent>,
  time: number,
): Generator<FeedEvent, void, undefined> {
  for (const event of events) {
    const body = isProtocolEvent(event) ? dataText(event) : bodyInMode(event, time);
    if (body === undefined) continue;
    const { method, namespace } = partsOfName(event.name);
    const number = eventNumber({ place, position: event.position });
    yield {
      number,
      method,
      namespace,
      text: eventText(number, String(number), body),
    };
  }
}

/** Of a run that was not started for the protocol: its values, and what its nodes emit. */
function bodyInMode(event: LoggedEvent, timestamp: number): string | undefined {
  const { method, namespace } = partsOfName(event.name);
  const data = dataText(event);
  if (method !== "custom" && method !== "values") return undefined;
  if (method === "values" && data.startsWith('{"__interrupt__":')) return undefined;
  const told = method === "custom" ? `{"payload":${data}}` : data;
  return `{"method":"${method}","params":{"namespace":${JSON.stringify(namespace)},"timestamp":${timestamp},"data":${told}}}`;
}
