import { Log, type Report } from "../log.ts";
import type { RuntimeOptions } from "./options.ts";

/** What tells the operator of a Worker what happens in it. */
export interface Watch {
  readonly log: Log;
  readonly report: Report;
}

export function watchOf(options: Pick<RuntimeOptions, "log" | "report">): Watch {
  const log = new Log(options.log ?? {}, Date.now);
  return { log, report: options.report ?? log.fault };
}
