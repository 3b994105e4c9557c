import { SERVER } from "./server.ts";
import type { Failure, Group, Results } from "./results.ts";

export interface Totals {
  /** Tests of class (a). */
  readonly all: number;
  readonly passed: number;
  readonly difference: number;
  readonly changed: number;
  readonly open: number;
}

export function totalsOf({ groups, failures }: Pick<Results, "groups" | "failures">): Totals {
  const own = groups.filter((group) => group.class === "a");
  const passed = sum(own.map((group) => group.passed));
  const of = (kind: Failure["kind"]): number => failures.filter((failure) => failure.kind === kind).length;
  return {
    all: passed + sum(own.map((group) => group.failed)),
    passed,
    difference: of("difference"),
    changed: of("changed"),
    open: of("open"),
  };
}

/** The share of what passes among the tests that no deliberate difference and no change of LangGraph's turns round. */
export function share({ all, passed, difference, changed }: Totals): number {
  return passed / (all - difference - changed);
}

const NEEDS: Record<"b" | "c" | "d", string> = {
  b: "LangChain",
  c: "private modules",
  d: "not offered",
};

/** docs/compatibility.md. */
export function documentOf(results: Results): string {
  const totals = totalsOf(results);
  const rest = totals.all - totals.difference - totals.changed;
  return `# Compatibility with LangGraph.js

LangGraph.js has tests of its own. They are run here as they are, with their imports of LangGraph's modules led to
Tidemark. This page is written by that run (\`npm run test:upstream\`, see
[CONTRIBUTING.md](../CONTRIBUTING.md#run-langgraphs-own-tests)); the tests themselves are not in this repository.

Tests of class (a) ask for the public interface only. Of these ${totals.all}

- ${totals.passed} pass;
- ${totals.difference} fail by a [deliberate difference](differences.md);
- ${totals.changed} fail on LangGraph ${results.langgraph} too: it has changed since they were written;
- ${totals.open} fail for other reasons.

That is ${totals.passed} of the ${rest} that should pass: **${(share(totals) * 100).toFixed(1)} %**.

## Class (a), by file

| file | tests | pass | difference | changed in LangGraph | other |
|---|--:|--:|--:|--:|--:|
${byFile(results).join("\n")}

## Why tests of class (a) fail

${whyThey(results.failures)}

## The other tests

They ask for more than the public interface: (b) LangChain's callbacks, models or runnables, or prebuilt agents; (c) private
modules of LangGraph; (d) parts that Tidemark does not offer. Where they pass, that is well; where they fail, this is why.

| file | class | they need | tests | pass |
|---|---|---|--:|--:|
${results.groups.flatMap(otherRow).join("\n")}

${SERVER}`;
}

function byFile({ groups, failures }: Results): string[] {
  return groups
    .filter((group) => group.class === "a")
    .map((group) => {
      const { all, passed, difference, changed, open } = totalsOf({
        groups: [group],
        failures: failures.filter((failure) => failure.file === group.file),
      });
      return row([group.file, all, passed, difference || "", changed || "", open || ""]);
    });
}

function whyThey(failures: readonly Failure[]): string {
  const lists = [...Map.groupBy(failures, ({ file }) => file)].map(([file, own]) => {
    const rows = own.map((failure) => row([failure.test, reasonOf(failure)]));
    return `### ${file}\n\n| test | why |\n|---|---|\n${rows.join("\n")}`;
  });
  return lists.join("\n\n");
}

function reasonOf({ kind, why }: Failure): string {
  if (kind === "changed") return "changed in LangGraph";
  return kind === "difference" ? `difference: ${why}` : why;
}

function otherRow({ file, class: name, why, passed, failed }: Group): string[] {
  return name === "a" ? [] : [row([file, `(${name}) ${NEEDS[name]}`, why ?? "", passed + failed, passed])];
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
