import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documentOf, share, totalsOf } from "../upstream/document.ts";
import reasons from "../upstream/reasons.json" with { type: "json" };
import type { Results } from "../upstream/results.ts";
import { pins } from "./differences/pins.ts";

/** The run of LangGraph's own tests needs their sources: what it has written is looked at here. */

const read = (path: string): string => readFileSync(join(import.meta.dirname, "../..", path), "utf8");
const results = JSON.parse(read("test/upstream/results.json")) as Results;

it("docs/compatibility.md says what the last run came to", () => {
  expect(read("docs/compatibility.md")).toBe(documentOf(results));
});

it("each failing test of class (a) is in the results, with its reason", () => {
  const failed = results.groups.filter((group) => group.class === "a").map(({ failed: count }) => count);
  const totals = totalsOf(results);
  expect(failed.reduce((sum, count) => sum + count, 0)).toBe(results.failures.length);
  expect(totals.all).toBe(totals.passed + totals.difference + totals.changed + totals.open);
  for (const { kind, why } of results.failures) expect(why === "").toBe(kind === "changed");
});

it("at least 95 % of what should pass does", () => {
  expect(share(totalsOf(results))).toBeGreaterThanOrEqual(0.95);
});

it("a deliberate difference has its row in docs/differences.md", () => {
  const rows = Object.keys(pins);
  const named = [
    ...results.failures.flatMap(({ kind, why }) => (kind === "difference" ? [why] : [])),
    ...reasons.flatMap(({ difference }) => difference ?? []),
  ];
  expect(named.filter((row) => !rows.includes(row))).toEqual([]);
});
