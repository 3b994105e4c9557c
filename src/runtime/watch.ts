import { Log, type Report } from "../log.ts";
import type { RuntimeOptions } from "./options.ts";

/** What tells the operator of a Worker what happens in it. */
export interface Watch {
  readonly log: Log;
  readonly report: Report;
}

export function watchOf(options: Pick<RuntimeOptions, "log" | "report">): Watch {
  const log = new Log(options.log ?? {}, Date.now);
  return { log, report: options.report === undefined ? log.fault : guarded(options.report, log.fault) };
}

/** The operator's own. What it fails with, at once or later, must not come on top of what it is told of: the log has both then. */
function guarded(report: Report, log: Report): Report {
  return (error, fields) => {
    const logBoth = (fault: unknown): void => {
      log(error, fields);
      log(fault);
    };
    try {
      const told: unknown = report(error, fields);
      if (told instanceof Promise) told.catch(logBoth);
    } catch (fault) {
      logBoth(fault);
    }
  };
}
