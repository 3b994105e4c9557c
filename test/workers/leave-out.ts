import { beforeEach, expect, type RunnerTask } from "vitest";
import { LEFT_OUT } from "./resets.ts";

/** For the project of resets: leaves out the tests that are listed, and finds fault with a name that no test has. */

function leftOutOf(path: string): Readonly<Record<string, string>> {
  const [, name = ""] = /test\/workers\/(.+)\.test\.ts$/.exec(path) ?? [];
  return LEFT_OUT[name] ?? {};
}

function namesIn(tasks: readonly RunnerTask[]): readonly string[] {
  return tasks.flatMap((task) => (task.type === "suite" ? namesIn(task.tasks) : [task.name]));
}

beforeEach(({ task, skip }) => {
  const leftOut = leftOutOf(task.file.filepath);
  const names = new Set(namesIn(task.file.tasks));
  expect(Object.keys(leftOut).filter((name) => !names.has(name))).toEqual([]);
  const reason = leftOut[task.name];
  if (reason !== undefined) skip(reason);
});
