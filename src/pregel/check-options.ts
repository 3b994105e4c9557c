import { InvalidArgumentError } from "../errors.ts";
import { STREAM_MODES, type StreamMode } from "../stream-modes.ts";

/** Refuses options of a run that types alone do not keep out. */

export function checkModes(modes: ReadonlySet<StreamMode>): void {
  for (const mode of modes) {
    if (STREAM_MODES.includes(mode)) continue;
    throw new InvalidArgumentError(
      "invalid_stream_mode",
      `There is no stream mode "${mode}": there are ${STREAM_MODES.join(", ")}.`,
      { details: { stream_mode: mode } },
    );
  }
}

/** In milliseconds. */
export function checkStepTimeout(stepTimeout: number | undefined): void {
  if (stepTimeout === undefined || stepTimeout > 0) return;
  throw new InvalidArgumentError("invalid_step_timeout", `stepTimeout must be above 0, not ${stepTimeout}.`, {
    details: { stepTimeout },
  });
}

export function checkRecursionLimit(recursionLimit: number): void {
  if (Number.isInteger(recursionLimit) && recursionLimit >= 1) return;
  throw new InvalidArgumentError(
    "invalid_recursion_limit",
    `recursionLimit must be a whole number of at least 1, not ${recursionLimit}.`,
  );
}

export function checkMaxConcurrency(maxConcurrency: number | undefined): void {
  if (maxConcurrency === undefined || maxConcurrency >= 1) return;
  throw new InvalidArgumentError(
    "invalid_max_concurrency",
    `maxConcurrency must be at least 1, not ${maxConcurrency}.`,
  );
}
