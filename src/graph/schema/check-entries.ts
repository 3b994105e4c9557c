import type { MaybePromise } from "../../checkpoint/types.ts";
import type { Checked, Issue } from "./standard-schema.ts";
import type { StateKeys } from "./state-keys.ts";

export type Entry = readonly [key: string, value: unknown];

export type CheckedEntries =
  | { readonly ok: true; readonly entries: readonly Entry[] }
  /** The path of each issue begins with the key. */
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * The entries as the schemas of their keys give them, or all that is wrong with them. Keys without a schema are taken as
 * they are. Stays synchronous when all the schemas do.
 */
export function checkEntries(keys: StateKeys, entries: readonly Entry[]): MaybePromise<CheckedEntries> {
  const checks = entries.map(([key, value]): MaybePromise<Checked> => {
    const check = keys.get(key)?.check;
    return check === undefined ? { ok: true, value } : check(value);
  });
  return areSettled(checks)
    ? together(entries, checks)
    : Promise.all(checks.map(async (result) => result)).then((results) => together(entries, results));
}

function areSettled(checks: readonly MaybePromise<Checked>[]): checks is readonly Checked[] {
  return !checks.some((result) => result instanceof Promise);
}

function together(entries: readonly Entry[], results: readonly Checked[]): CheckedEntries {
  const issues: Issue[] = [];
  const checked: Entry[] = [];
  entries.forEach(([key], index) => {
    const result = results[index];
    if (result?.ok === true) checked.push([key, result.value]);
    else for (const { message, path } of result?.issues ?? []) issues.push({ message, path: [key, ...path] });
  });
  return issues.length === 0 ? { ok: true, entries: checked } : { ok: false, issues };
}
