import { customText } from "./custom-data.ts";
import type { LoggedEvent } from "../events/logged-event.ts";
import { eventNumber } from "./event-number.ts";
import { eventText, type FeedEvent } from "./feed-event.ts";
import type { PlacedRun } from "../runs/run-row.ts";
import { dataText, isProtocolEvent, partsOfName } from "./logged-form.ts";

/**
 * What a run has told, as events of the thread. Of one that does not say when it said something, the time is when it began.
 * Ids name the run: a number is given again by a thread that comes anew under the same name.
 */
export function* loggedFeed(
  { id, place, begunAt }: PlacedRun,
  events: Iterable<LoggedEvent>,
): Generator<FeedEvent, void, undefined> {
  for (const event of events) {
    const body = isProtocolEvent(event) ? dataText(event) : bodyInMode(event, begunAt);
    if (body === undefined) continue;
    const { method, namespace } = partsOfName(event.name);
    const number = eventNumber({ place, position: event.position });
    yield {
      number,
      method,
      namespace,
      text: eventText(number, `${id}:${number}`, body),
    };
  }
}

/** Of a run that was not started for the protocol: its values, and what its nodes emit. */
function bodyInMode(event: LoggedEvent, timestamp: number): string | undefined {
  const { method, namespace } = partsOfName(event.name);
  const data = dataText(event);
  if (method !== "custom" && method !== "values") return undefined;
  if (method === "values" && data.startsWith('{"__interrupt__":')) return undefined;
  const told = method === "custom" ? customText(data) : data;
  return `{"method":"${method}","params":{"namespace":${JSON.stringify(namespace)},"timestamp":${timestamp},"data":${told}}}`;
}
