import { isConstant } from "../values/adopt.ts";
import { isObject } from "../values/containers.ts";
import { weigh } from "./patch/weigh.ts";

/** An object of up to so many bytes is written out: to look for a patch of one took a twentieth of a superstep. */
const SMALL = 128;

/** What data weighs that is stored as it is: a leaf, or few bytes. Undefined for all else, and for a text above `shortText`. */
export function smallWeight(value: unknown, shortText: number): number | undefined {
  if (!isObject(value))
    return typeof value === "string" && value.length > shortText ? undefined : weigh(value);
  if (!isConstant(value)) return undefined;
  const most = Math.min(SMALL, shortText);
  const weight = weigh(value, most);
  return weight > most ? undefined : weight;
}
