import { isObject } from "./values/containers.ts";
import { TidemarkError, type ErrorDetails } from "./errors.ts";

/** An error as it is stored and shown: plain data, without the stack. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  readonly details?: ErrorDetails;
  readonly cause?: ErrorRecord;
  readonly errors?: readonly ErrorRecord[];
}

/** The plain form of anything that was thrown, with its chain of causes (16 of them at most). */
export function describeError(error: unknown, depth = 16): ErrorRecord {
  if (!(error instanceof Error)) return { name: "Error", message: describeThrown(error) };
  const code: unknown = "code" in error ? error.code : undefined;
  const inner = (value: unknown): ErrorRecord => describeError(value, depth - 1);
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(error instanceof TidemarkError && Object.keys(error.details).length > 0
      ? { details: error.details }
      : {}),
    ...(depth > 0 && error.cause !== undefined ? { cause: inner(error.cause) } : {}),
    ...(depth > 0 && error instanceof AggregateError ? { errors: error.errors.slice(0, 16).map(inner) } : {}),
  };
}

function describeThrown(thrown: unknown): string {
  if (!isObject(thrown)) return String(thrown);
  return "message" in thrown && typeof thrown.message === "string"
    ? thrown.message
    : "A value that is not an Error was thrown.";
}
