import { RefusedError } from "../../errors.ts";

/** Says nothing of what the link was for. */
export function hookUsed(): RefusedError {
  return new RefusedError("hook_used", "This link has been used. It is good for one answer.");
}

/** What another run will leave of the question is not known yet. */
export function hookBusy(): RefusedError {
  return new RefusedError(
    "thread_busy",
    "Something else is going on where this question was asked; answer again in a moment.",
  );
}

/** As `hookUsed`. */
export function hookRevoked(): RefusedError {
  return new RefusedError("hook_revoked", "The question that this link was for is not open any more.");
}
