import { describeError } from "../error-record.ts";
import { messageOf, TidemarkError, type WireError } from "../errors.ts";
import type { TaskFailure } from "../pregel/types.ts";

/** Longer messages are cut: they come from user code, and a run's row holds them. */
const MAX_MESSAGE = 16_000;

export function wireError(error: TidemarkError): WireError {
  return { code: error.code, message: clip(error.message), details: error.details };
}

/** What stopped an attempt, as it is kept. */
export function faultError(fault: unknown): WireError {
  return fault instanceof TidemarkError
    ? wireError(fault)
    : { code: "internal", message: clip(messageOf(fault)), details: {} };
}

/** What became of a failed run: which node threw, and where the thread stands. */
export function failureError(
  error: unknown,
  failures: readonly TaskFailure[],
  checkpointId: string | undefined,
): WireError {
  const place = checkpointId === undefined ? {} : { checkpoint_id: checkpointId };
  const [first] = failures;
  if (first === undefined) {
    const known = faultError(error);
    return { ...known, details: { ...known.details, ...place } };
  }
  const nodes = failures.map((failure) => failure.node);
  const errors = failures.map((failure) => ({
    node: failure.node,
    ...clipped(describeError(failure.error)),
  }));
  return {
    code: "node_failed",
    message: clip(
      `Node "${first.node}" failed: ${messageOf(first.error)}${nodes.length > 1 ? ` (and ${nodes.length - 1} more)` : ""}`,
    ),
    details: { node: first.node, nodes, ...place, errors: errors.slice(0, 16) },
  };
}

function clipped<T extends { readonly message: string }>(record: T): T {
  return { ...record, message: clip(record.message) };
}

function clip(message: string): string {
  return message.length <= MAX_MESSAGE
    ? message
    : `${message.slice(0, MAX_MESSAGE)}… (${message.length} characters)`;
}
