import type { LoggedEvent } from "../events/logged-event.ts";
import type { RunRow } from "../run-rows.ts";
import { eventNumber } from "./event-number.ts";
import { eventText, type FeedEvent } from "./feed-event.ts";
import { dataText, isProtocolEvent, partsOfName } from "./logged-form.ts";

/** What a run has told, as events of the thread. `now`: the time, for runs that do not say when they said something. */
export function* loggedFeed(
  run: RunRow,
  events: Iterable<LoggedEvent>,
  now: number,
): Generator<FeedEvent, void, undefined> {
  for (const event of events) {
    const body = isProtocolEvent(event) ? dataText(event) : bodyInMode(event, run, now);
    if (body === undefined) continue;
    const { method, namespace } = partsOfName(event.name);
    const number = eventNumber({ place: run.place ?? 0, position: event.position });
    yield {
      number,
      method,
      namespace,
      text: eventText(number, String(number), body),
    };
  }
}

/** Of a run that was not started for the protocol: its values, and what its nodes emit. */
function bodyInMode(event: LoggedEvent, run: RunRow, now: number): string | undefined {
  const { method, namespace } = partsOfName(event.name);
  const data = dataText(event);
  if (method !== "custom" && method !== "values") return undefined;
  if (method === "values" && data.startsWith('{"__interrupt__":')) return undefined;
  const timestamp = run.endedAt === undefined ? now : (run.startedAt ?? now);
  const told = method === "custom" ? `{"payload":${data}}` : data;
  return `{"method":"${method}","params":{"namespace":${JSON.stringify(namespace)},"timestamp":${timestamp},"data":${told}}}`;
}
