import type { JsonSchema } from "./json-schema.ts";
import type { AnswerHeader, RequestHeader } from "./operation.ts";

interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** What stands in paths. */
export const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  thread_id:
    "The id of a thread: any text of up to 256 bytes without control characters, except `.` and `..`; percent-encoded, a slash as `%2F`.",
  run_id: "The id of a run.",
  checkpoint_id: "The id of a checkpoint.",
  assistant_id: "The id of an assistant, or the name of a graph.",
  cron_id: "The id of a cron.",
  namespace: "The node, or the nodes with `|` between them, that lead to a graph.",
  key: "The key that a node waits for.",
  token: "What the link was signed as.",
  source: "The name of a source of webhooks.",
};

export const REQUEST_HEADERS: Readonly<Record<RequestHeader, Header>> = {
  "Idempotency-Key": {
    description:
      "The same call again, within a day, gets what came of the first one. With another body the key is refused.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
  },
  "If-Match": {
    description:
      "The id of a checkpoint: the call is refused unless the thread is there when its turn comes.",
    schema: { type: "string" },
  },
  "Last-Event-ID": {
    description: "Only the events after the one with this id.",
    schema: { type: "string" },
  },
  Prefer: {
    description: "With `return=minimal` nothing is answered.",
    schema: { type: "string" },
  },
  traceparent: {
    description: "The trace that the run is to be a part of, by W3C Trace Context. What is none is ignored.",
    schema: { type: "string" },
  },
};

const ANSWER_HEADERS: Readonly<Record<AnswerHeader, Header>> = {
  "Content-Location": { description: "The path of the run.", schema: { type: "string" } },
  Location: {
    description: "Where the end of the run, or its further events, can be waited for again.",
    schema: { type: "string" },
  },
  "Retry-After": {
    description: "After how many seconds to ask again, while the call with the same key is being made.",
    schema: { type: "integer" },
  },
  "WWW-Authenticate": { description: "How to say who calls.", schema: { type: "string" } },
  "x-pagination-total": { description: "How many there are.", schema: { type: "integer" } },
  "x-pagination-next": {
    description: "The `offset` of the next page; absent on the last.",
    schema: { type: "integer" },
  },
};

export function answerHeaders(names: readonly AnswerHeader[]): Readonly<Record<string, Header>> {
  return Object.fromEntries(names.map((name) => [name, ANSWER_HEADERS[name]]));
}
