import { RefusedError, type WireError } from "../../errors.ts";

/** What a command comes to. */
export interface CommandResult {
  readonly result: unknown;
  /** The number of the last event that comes before all that the command leads to. */
  readonly after?: number;
}

/** What the thread has answered, to be told as any other error. */
export function callFailed({ code, message, details }: WireError): RefusedError {
  return new RefusedError(code, message, { details });
}
