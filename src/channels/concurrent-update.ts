import { InvalidUpdateError } from "../graph-errors.ts";

/** The error of a channel that takes one value per superstep and got more; `remedy` says what to do about it. */
export function concurrentUpdate(channel: string, count: number, remedy: string): InvalidUpdateError {
  return new InvalidUpdateError(
    `A ${channel} channel takes one value per superstep and got ${count}. ${remedy}`,
    {
      details: { count },
      lcErrorCode: "INVALID_CONCURRENT_GRAPH_UPDATE",
    },
  );
}
