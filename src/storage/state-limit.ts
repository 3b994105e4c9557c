import { ValueTooLargeError } from "../errors.ts";
import { weigh } from "./patch/weigh.ts";

/** Refuses a state above the limit, in bytes, and names the channel that weighs most. */
export function requireFits(weight: number, limit: number, values: ReadonlyMap<string, unknown>): void {
  if (weight <= limit) return;
  let heaviest = { channel: "", weight: -1 };
  for (const [channel, value] of values) {
    const own = weigh(value);
    if (own > heaviest.weight) heaviest = { channel, weight: own };
  }
  const what = `The state, mostly its channel "${heaviest.channel}", without what is stored apart`;
  throw new ValueTooLargeError(Math.round(weight), limit, heaviest.channel, what);
}
