import { answersOf } from "../named-answers.ts";
import { isCommand, type Command } from "./command.ts";

/** What a run is started with. */
export type RunInput =
  | { readonly kind: "continue" }
  | { readonly kind: "input"; readonly value: unknown }
  | { readonly kind: "command"; readonly command: Command }
  /** Answers by interrupt id. */
  | { readonly kind: "answers"; readonly answers: ReadonlyMap<string, unknown> };

/** Reads the first argument of `invoke` and `stream`. */
export function parseRunInput(input: unknown): RunInput {
  if (input === null || input === undefined) return { kind: "continue" };
  if (!isCommand(input)) return { kind: "input", value: input };
  const answers = answersOf(input.resume);
  const isPlainResume = input.update === undefined && input.goto.length === 0;
  return answers !== undefined && isPlainResume
    ? { kind: "answers", answers }
    : { kind: "command", command: input };
}
