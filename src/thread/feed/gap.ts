import type { Position } from "../events/position.ts";
import type { PlacedRun } from "../runs/run-row.ts";
import { eventNumber } from "./event-number.ts";
import { eventText, type FeedEvent } from "./feed-event.ts";

/** The protocol has no word for it: its clients pass over what they do not know. */
export const GAP = "gap";

/** Says that what the run has told right before this is not kept any more. It has the number of the last event that is gone. */
export function gapBefore({ id, place, begunAt }: PlacedRun, next: Position): FeedEvent {
  const first = eventNumber({ place, position: next });
  const number = first - 1;
  const event = { method: GAP, params: { namespace: [], timestamp: begunAt, data: { next: first } } };
  return {
    number,
    method: GAP,
    namespace: [],
    text: eventText(number, `${id}:${number}`, JSON.stringify(event)),
  };
}
