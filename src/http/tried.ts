import type { Report } from "../log.ts";
import type { Reply } from "../thread/protocol.ts";
import { wireErrorOf } from "./errors.ts";

/** For one of many calls, the others of which go on: what it throws is its reply. */
export async function tried<Value>(report: Report, call: () => Promise<Reply<Value>>): Promise<Reply<Value>> {
  try {
    return await call();
  } catch (error) {
    return { ok: false, isFailed: false, error: wireErrorOf(error, report) };
  }
}
