import { GRAPH_CRONS } from "../../graph-crons.ts";
import { fromBase64Url, toBase64Url } from "../../hooks/hmac.ts";
import { requireThreadId } from "../requests/thread-id.ts";

/** The id of a cron says where the cron is kept, so that it can be asked for by nothing else. */

export function threadCronId(id: string, threadId: string): string {
  return `${id}.${toBase64Url(new TextEncoder().encode(threadId))}`;
}

/** The thread that keeps the cron; `GRAPH_CRONS` for every id that names none. */
export function threadOfCron(cronId: string): string {
  const [, encoded = ""] = cronId.split(".");
  const bytes = encoded === "" ? undefined : fromBase64Url(encoded);
  if (bytes === undefined) return GRAPH_CRONS;
  try {
    return requireThreadId(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return GRAPH_CRONS;
  }
}
