import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { unpinned } from "../../support/pins-reporter.ts";
import { pins } from "./pins.ts";

/** Each row of docs/differences.md is pinned by a test. */

const document = readFileSync(join(import.meta.dirname, "../../../docs/differences.md"), "utf8");

/** What the rows say of LangGraph. */
const rows = document
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.slice(2).split(" | ", 1)[0] ?? "")
  .filter((cell) => cell !== "LangGraph");

it("every row of the document has its tests in pins.ts, and there are no others", () => {
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter((row) => !Object.hasOwn(pins, row))).toEqual([]);
  expect(Object.keys(pins).filter((row) => !rows.includes(row))).toEqual([]);
});

it.each(Object.entries(pins))("pinned: %s", (_, tests) => {
  expect(tests).not.toEqual([]);
  for (const test of tests) {
    const [file = "", ...title] = test.split(": ");
    const source = readFileSync(join(import.meta.dirname, "..", `${file}.test.ts`), "utf8");
    expect(source).toContain(title.join(": "));
  }
});

it("a run says which pinned tests of its files did not pass", () => {
  const passed = new Map([["a/b", ["a group > takes 5: as here", "another"]]]);
  const tests = ["a/b: takes %s: as here", "a/b: another", "a/b: skipped", "c/d: of a file that was not run"];
  expect(unpinned(tests, passed)).toEqual(["a/b: skipped"]);
});
