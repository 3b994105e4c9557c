import { InvalidArgumentError } from "../errors.ts";
import { adopt } from "../values/adopt.ts";
import type { Environment } from "./environment.ts";
import { acceptAnswer } from "./response-schema.ts";
import { instantOf, isoTime, millisecondsOf } from "./time.ts";
import type { InterruptOptions } from "./types.ts";

/** When a question answers itself, in ISO 8601, and how. */
export interface Expiry {
  readonly expires_at: string;
  readonly default: unknown;
}

/** Of a question that is asked now; undefined when it stays open for as long as it takes. */
export function expiryOf(options: InterruptOptions, clock: Pick<Environment, "now">): Expiry | undefined {
  const { expiresIn, expiresAt, responseSchema } = options;
  if (expiresIn === undefined && expiresAt === undefined) return undefined;
  if (expiresIn !== undefined && expiresAt !== undefined)
    throw invalid("has both `expiresIn` and `expiresAt`");
  if (!("default" in options)) throw invalid("has no `default`: say what counts when nobody answers");
  if (!acceptAnswer(responseSchema, options.default).ok) {
    throw invalid("has a `default` that does not fit its `responseSchema`");
  }
  const instant =
    expiresAt === undefined ? clock.now() + millisecondsOf(expiresIn ?? 0) : instantOf(expiresAt);
  return { expires_at: isoTime(instant, expiresIn), default: adopt(options.default) };
}

function invalid(what: string): InvalidArgumentError {
  return new InvalidArgumentError("invalid_expiry", `A question that expires ${what}.`);
}
