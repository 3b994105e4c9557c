import { relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { pins } from "../unit/differences/pins.ts";

const UNIT = new URL("../unit", import.meta.url).pathname;

/** Fails a run in which a test that pins a row of docs/differences.md did not run and pass, though its file was run. */
export class PinsReporter implements Reporter {
  #isPartial = false;

  onInit(vitest: Vitest): void {
    this.#isPartial = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isPartial) return;
    const passed = new Map(modules.map((module) => [fileOf(module), passedTests(module)]));
    for (const pin of unpinned(Object.values(pins).flat(), passed)) {
      process.exitCode = 1;
      console.error(`A row of docs/differences.md is pinned by a test that did not pass: ${pin}`);
    }
  }
}

/** The pins, "file: title", of files that were run, whose test is not among those that passed. */
export function unpinned(
  tests: readonly string[],
  passed: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return tests.filter((pin) => {
    const [file = "", ...title] = pin.split(": ");
    const pattern = patternOf(title.join(": "));
    return passed.has(file) && !passed.get(file)?.some((name) => pattern.test(name));
  });
}

/** A title as it is written, with places for what each case puts in. */
function patternOf(title: string): RegExp {
  return new RegExp(title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/%[a-z]/g, ".*"));
}

function fileOf(module: TestModule): string {
  return relative(UNIT, module.moduleId).replace(/\.test\.ts$/, "");
}

function passedTests(module: TestModule): readonly string[] {
  return [...module.children.allTests("passed")].map(({ fullName }) => fullName);
}
