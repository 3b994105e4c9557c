import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startVitest, type TestModule } from "vitest/node";
import { classify, type Classified } from "./classify.ts";
import { checkout } from "./checkout.ts";
import { pins } from "../unit/differences/pins.ts";
import { documentOf, share, totalsOf } from "./document.ts";
import { offeredNames } from "./offered-names.ts";
import { type Ran, type Reason, resultsOf } from "./results.ts";

/**
 * Runs LangGraph's tests on Tidemark and on the released LangGraph, and writes what they came to. Fails when a test of
 * class (a) fails without a reason, when a reason is not needed, and when less passes than is promised.
 */

const PROMISED = 0.95;
const HERE = import.meta.dirname;
const DOCUMENT = join(HERE, "../../docs/compatibility.md");

const files = process.argv.slice(2);
const isWhole = files.length === 0;
const core = coreOrExit();
const vitest = await startVitest("test", files, {
  config: join(HERE, "vitest.config.ts"),
  watch: false,
  silent: true,
  // Of the whole, what fails is told below.
  reporters: isWhole ? [{}] : ["minimal"],
});
const modules = vitest.state.getTestModules();
await vitest.close();

const sources = new Map(
  modules.map((module) => [fileOf(module), readFileSync(module.moduleId, "utf8")] as const),
);
const classified = new Map<string, Classified[]>(
  [...sources].map(([file, source]) => [file, classify(file, source, (name) => offeredNames.has(name))]),
);
const { version } = readJson("../../node_modules/@langchain/langgraph/package.json") as { version: string };
const reasons = (readJson("./reasons.json") as Reason[]).filter(
  ({ file }) => isWhole || classified.has(file),
);
const { results, problems } = resultsOf(
  { tidemark: ranOn("tidemark"), langgraph: ranOn("langgraph"), classified },
  reasons,
  version,
);

const totals = totalsOf(results);
const known = Object.keys(pins);
const unknown = reasons.flatMap(({ difference }) =>
  difference === undefined || known.includes(difference) ? [] : [`differences.md has no row "${difference}"`],
);
const all = [...problems, ...unknown];
for (const problem of all) console.error(problem);
console.log(`${totals.passed} of ${totals.all} pass: ${(share(totals) * 100).toFixed(1)} % of what should`);
if (share(totals) < PROMISED) all.push("less passes than is promised");
process.exitCode = all.length === 0 ? 0 : 1;
if (isWhole) {
  writeFileSync(join(HERE, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(DOCUMENT, documentOf(results));
}

function coreOrExit(): string {
  try {
    return checkout().core;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

function fileOf(module: TestModule): string {
  return module.moduleId.slice(core.length + 1);
}

/** A file that cannot be loaded has no tests: all that it declares have failed. */
function ranOn(engine: string): Ran[] {
  return modules
    .filter((module) => module.project.name === engine)
    .flatMap((module): Ran[] => {
      const file = fileOf(module);
      const ran = [...module.children.allTests()].flatMap((test): Ran[] => {
        const { state } = test.result();
        if (state !== "passed" && state !== "failed") return [];
        const line = test.location?.line ?? 0;
        return [{ file, test: test.fullName, line, passed: state === "passed" }];
      });
      if (ran.length > 0) return ran;
      return (classified.get(file) ?? []).map(({ title, first }) => ({
        file,
        test: title,
        line: first,
        passed: false,
      }));
    })
    .toSorted((left, right) => (left.file < right.file ? -1 : left.file > right.file ? 1 : 0));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(HERE, path), "utf8"));
}
