import { readFileSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { crashMatrix, outlineOf } from "./crash-matrix.ts";

const FILE = new URL("../../docs/crash-matrix.md", import.meta.url).pathname;
const TEST = "test/workers/crash/matrix.test.ts";

/**
 * Writes docs/crash-matrix.md when it is asked to. Otherwise fails a run of the whole test whose points and scenarios are not
 * those of the page.
 */
export class CrashMatrixReporter implements Reporter {
  readonly #isWriting: boolean;

  constructor(isWriting: boolean) {
    this.#isWriting = isWriting;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const module = modules.find(({ moduleId }) => moduleId.endsWith(TEST));
    if (module === undefined) return;
    const tests = [...module.children.allTests()];
    if (tests.length === 0 || tests.some((test) => test.result().state !== "passed")) return;
    const metas = tests.map((test) => test.meta());
    const scenarios = metas.flatMap(({ scenario = [] }) => scenario);
    const page = crashMatrix(
      scenarios,
      metas.flatMap(({ crashes = [] }) => crashes),
    );
    if (this.#isWriting) return writeFileSync(FILE, page);
    if (outlineOf(readFileSync(FILE, "utf8")).join("\n") === outlineOf(page).join("\n")) return;
    process.exitCode = 1;
    console.error("docs/crash-matrix.md has other points or scenarios: npm run crash-matrix.");
  }
}
