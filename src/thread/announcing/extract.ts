import { isObject } from "../../values/containers.ts";
import type { JsonObject } from "../../directory/protocol.ts";
import { type Json, plainJson } from "../../json.ts";

/** Of all that is extracted, as JSON text, in characters. */
const MAX_EXTRACT = 4096;

/** What is at these paths (keys, separated by dots) of the values, at the same paths. What does not fit is left out. */
export function extractOf(values: unknown, paths: readonly string[]): JsonObject {
  const extract: { [key: string]: Json } = {};
  let room = MAX_EXTRACT;
  for (const path of paths) {
    const keys = path.split(".");
    const found = keys.reduce(memberOf, values);
    if (found === undefined) continue;
    const value = plainJson(found);
    const size = path.length + JSON.stringify(value).length;
    if (size > room) continue;
    room -= size;
    place(extract, keys, value);
  }
  return extract;
}

function memberOf(value: unknown, key: string): unknown {
  if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}

function place(whole: { [key: string]: Json }, [key = "", ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    whole[key] = value;
    return;
  }
  const inner = { ...(whole[key] as { [key: string]: Json } | undefined) };
  place(inner, rest, value);
  whole[key] = inner;
}
