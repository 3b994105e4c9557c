import * as v from "valibot";

/** An object with any keys: passed on as it is, so that no key is lost or means something. */
export const AnyObject = v.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);

/** An object with these keys and no others. (valibot by itself takes a list for an object without keys.) */
export function exactly<Entries extends v.ObjectEntries>(entries: Entries) {
  const keys = Object.keys(entries);
  const unknownKey = (issue: v.StrictObjectIssue): string =>
    issue.expected === "never" ? `unknown key; there is ${keys.join(", ") || "none"}` : "is missing";
  return v.pipe(AnyObject, v.strictObject(entries, unknownKey));
}
