import { isObject } from "./containers.ts";
import type { Json } from "../json.ts";

/** Whether all of `part` is in `whole`: objects by their keys, lists by any of their elements, anything else as it is. */
export function contains(whole: Json | undefined, part: Json): boolean {
  if (!isObject(part)) return whole === part;
  if (!isObject(whole) || isList(whole) !== isList(part)) return false;
  if (isList(part)) {
    return part.every((wanted) => isList(whole) && whole.some((element) => contains(element, wanted)));
  }
  return Object.entries(part).every(
    ([key, wanted]) => !isList(whole) && Object.hasOwn(whole, key) && contains(whole[key], wanted),
  );
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
