import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { classify } from "../upstream/classify.ts";
import { documentOf, share, totalsOf } from "../upstream/document.ts";
import reasons from "../upstream/reasons.json" with { type: "json" };
import { type Ran, type Reason, type Results, resultsOf } from "../upstream/results.ts";
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

const SOURCE = `
import { it } from "vitest";
import { StateGraph, type Options } from "../graph/index.js";
import { inner } from "../pregel/algo.js";
import { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
const shared = () => inner();
it("public", () => new StateGraph({} as Options));
it.each([1, 2])("private %s", () => shared());
it("LangChain", () => awaitAllCallbacks());
`;

describe("a run of LangGraph's tests", () => {
  const file = "src/tests/x.test.ts";
  const classified = classify(file, SOURCE, (name) => name === "StateGraph");
  const run = (passed: boolean, passedThere = true): Parameters<typeof resultsOf>[0] => {
    const ran: Ran = { file, test: "public", line: 7, passed };
    const others = [8, 8, 9].map((line): Ran => ({ file, test: `line ${line}`, line, passed: false }));
    return {
      tidemark: [ran, ...others],
      langgraph: [{ ...ran, passed: passedThere }],
      classified: new Map([[file, classified]]),
    };
  };
  const reason: Reason = { file, tests: ["public"], reason: "so" };

  it("tells what its tests ask for", () => {
    expect(classified.map((test) => [test.title, test.class, test.why])).toEqual([
      ["public", "a", undefined],
      ["private %s", "c", "`inner`"],
      ["LangChain", "b", "LangChain's callbacks"],
    ]);
  });

  it("needs a reason for each test of class (a) that fails, and for no other", () => {
    expect(resultsOf(run(false), [], "1").problems).toEqual([`${file} > public fails without a reason`]);
    expect(resultsOf(run(false), [reason], "1").problems).toEqual([]);
    expect(resultsOf(run(true), [], "1").problems).toEqual([]);
    expect(resultsOf(run(true), [reason], "1").problems).toEqual([`${file} > public needs no reason`]);
    expect(resultsOf(run(true), [{ ...reason, tests: ["gone"] }], "1").problems).toEqual([
      `${file}: no test is called "gone"`,
    ]);
  });

  it("counts what fails in the released LangGraph too by itself", () => {
    const { results: changed, problems } = resultsOf(run(false, false), [], "1");
    expect(problems).toEqual([]);
    expect(totalsOf(changed)).toEqual({ all: 1, passed: 0, difference: 0, changed: 1, open: 0 });
    expect(resultsOf(run(false, false), [reason], "1").problems).toHaveLength(1);
  });
});
