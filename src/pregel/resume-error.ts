import { TidemarkError, type ErrorDetails, type UnknownInterruptError } from "../errors.ts";
import type { Interrupt } from "../interrupt-error.ts";

/** An answer does not fit the `responseSchema` of its question, which stays open. */
export class InvalidResumeError extends TidemarkError {
  readonly question: Interrupt & { readonly refused: number };

  constructor(question: Interrupt & { readonly refused: number }, issues: readonly ErrorDetails[]) {
    super(
      "invalid_resume",
      `The answer to interrupt ${question.id} does not fit its schema: ${issues
        .map(({ message }) => String(message))
        .join("; ")}. The question stays open.`,
      { details: { interrupt_id: question.id, issues } },
    );
    this.name = "InvalidResumeError";
    this.question = question;
  }
}

export function isInvalidResume(error: unknown): error is InvalidResumeError {
  return error instanceof InvalidResumeError;
}

export function isUnknownInterruptError(error: unknown): error is UnknownInterruptError {
  return error instanceof Error && error.name === "UnknownInterruptError";
}
