import { isObject, kindOf } from "./kind.ts";

/** How many characters of a text count, at either end. */
const SAMPLE = 16;

/** How many containers are looked into, in and below the value. */
const MAX_CONTAINERS = 16;

/** A number that is the same for equal values, and seldom for others. */
export function fingerprint(value: unknown, budget = { containers: MAX_CONTAINERS }): number {
  if (!isObject(value)) return ofPrimitive(value);
  budget.containers--;
  const kind = kindOf(value);
  let print = kind.length;
  if (kind === "list") {
    const list = value as readonly unknown[];
    print = mix(print, list.length);
    for (let index = 0; index < list.length && index < SAMPLE; index++)
      print = mix(print, ofPart(list[index], budget));
  } else if (kind === "record") {
    for (const [key, part] of Object.entries(value))
      print = mix(mix(print, ofText(key)), ofPart(part, budget));
  } else if (kind === "map" || kind === "set") {
    print = mix(print, (value as ReadonlySet<unknown>).size);
  }
  return print;
}

function ofPart(part: unknown, budget: { containers: number }): number {
  if (!isObject(part)) return ofPrimitive(part);
  return budget.containers > 0 ? fingerprint(part, budget) : kindOf(part).length;
}

function ofPrimitive(value: unknown): number {
  if (typeof value === "string") return ofText(value);
  if (typeof value === "number") return (value | 0) === value ? value : ofText(String(value));
  return ofText(String(value));
}

function ofText(text: string): number {
  const { length } = text;
  let print = length;
  for (let index = 0; index < length && index < SAMPLE; index++) print = mix(print, text.charCodeAt(index));
  for (let index = Math.max(SAMPLE, length - SAMPLE); index < length; index++)
    print = mix(print, text.charCodeAt(index));
  return print;
}

function mix(print: number, part: number): number {
  return (Math.imul(print, 31) + part) | 0;
}
