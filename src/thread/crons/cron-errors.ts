import { RefusedError } from "../../errors.ts";

export function cronNotFound(cronId: string): RefusedError {
  return new RefusedError("cron_not_found", `There is no cron "${cronId}".`, {
    details: { cron_id: cronId },
  });
}

/** What a cron starts its runs with is kept in a row. */
export function cronTooLarge(size: number, limit: number): RefusedError {
  return new RefusedError(
    "cron_too_large",
    `What the cron starts runs with has ${size} bytes as it is stored; the limit is ${limit}.`,
    { details: { size, limit } },
  );
}

export function tooManyCrons(limit: number): RefusedError {
  return new RefusedError("too_many_crons", `There are ${limit} crons, and no room for more.`, {
    details: { limit },
  });
}
