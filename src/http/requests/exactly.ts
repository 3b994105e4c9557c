import { isRecord } from "../../values/containers.ts";
import * as v from "valibot";
import type { JsonObject } from "../../directory/protocol.ts";

/** An object with any keys: passed on as it is, so that no key is lost or means something. */
export const AnyObject = v.custom<Record<string, unknown>>(isRecord, "must be an object");

/** The same of a body, whose values are JSON. */
export const JsonBody = v.custom<JsonObject>(isRecord, "must be an object");

/** A whole number within these bounds. */
export function whole(least: number, most = Number.MAX_SAFE_INTEGER) {
  return v.pipe(v.number(), v.safeInteger(), v.minValue(least), v.maxValue(most));
}

/** An object with these keys and no others. (valibot by itself takes a list for an object without keys.) */
export function exactly<Entries extends v.ObjectEntries>(entries: Entries) {
  const keys = Object.keys(entries);
  const unknownKey = (issue: v.StrictObjectIssue): string =>
    issue.expected === "never" ? `unknown key; there is ${keys.join(", ") || "none"}` : "is missing";
  const object = v.strictObject(entries, unknownKey);
  return shownAs(object, v.pipe(AnyObject, object));
}

/** As `exactly`; null counts as absent, whatever its key. */
export function exactlyOrNull<Entries extends v.ObjectEntries>(entries: Entries) {
  const object = exactly(entries);
  const nullable = Object.entries(entries).map(([key, entry]) => [key, v.nullish(entry)] as const);
  // An `objectWithRest` without the check, which would be code that nobody runs.
  const shown = { ...v.object(Object.fromEntries(nullable)), type: "object_with_rest", rest: v.null() };
  return shownAs(shown, v.pipe(AnyObject, withoutNulls, object));
}

const withoutNulls = v.transform((body: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
);

/** Checks as `checked` does. The document of the API is made from what schemas show of themselves: that is `shown`. */
export function shownAs<Input, Output>(
  shown: v.GenericSchema,
  checked: v.GenericSchema<Input, Output>,
): v.GenericSchema<Input, Output> {
  const { "~run": run, "~standard": standard, "~types": types } = checked;
  return { ...shown, "~run": run, "~standard": standard, "~types": types };
}
