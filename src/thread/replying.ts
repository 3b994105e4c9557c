import { TidemarkError } from "../errors.ts";
import { wireError } from "./wire-errors.ts";
import type { Reply } from "./call.ts";
import { AnsweredError } from "./runs/run-answer.ts";

/** Makes a value of a typed error: classes of errors do not survive the way to the router. */
export async function replying<Value>(work: () => Promise<Value>): Promise<Reply<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    return { ok: false, error: wireError(error), isFailed: error instanceof AnsweredError && error.isFailed };
  }
}
