import type { OpenApiDocument } from "../../../src/openapi/document.ts";
import type { DocumentedOperation } from "../../../src/openapi/documented-operation.ts";
import { closed, faultsOf } from "../../support/json-schema.ts";

export interface ErrorAnswer {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>>;
  };
}

/** Streams of all runs of a thread go on for ever: they are read for so long, in milliseconds. */
const PATIENCE = 100;

/** The body of an answer, as much of it as there is. */
export async function bytesOf({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined = body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (;;) {
    const chunk = await Promise.race([reader?.read(), scheduler.wait(PATIENCE)]);
    if (chunk === undefined) await reader?.cancel();
    if (chunk?.value === undefined) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    chunks.push(chunk.value);
  }
}

/** Not in every answer of their status. */
const AT_TIMES: ReadonlySet<string> = new Set(["x-pagination-next", "Retry-After"]);

/** They say how an answer is sent and shown, and not what it is. */
const OF_ANY_ANSWER: ReadonlySet<string> = new Set([
  "access-control-allow-origin",
  "access-control-expose-headers",
  "content-type",
  "content-length",
  "content-disposition",
  "content-security-policy",
  "referrer-policy",
  "x-robots-tag",
  "x-content-type-options",
  "cache-control",
  "vary",
  "x-accel-buffering",
]);

/** Holds what a server answers to what its document says. */
export class DocumentedAnswers {
  readonly #document: OpenApiDocument;
  /** By route, as in "GET /threads/{thread_id}". */
  readonly operations: ReadonlyMap<string, DocumentedOperation>;

  constructor(document: OpenApiDocument) {
    this.#document = closed(document);
    this.operations = new Map(
      Object.entries(document.paths).flatMap(([path, item]) =>
        Object.entries(item).map(
          ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
        ),
      ),
    );
  }

  /** What is not as the document says; empty when the answer is. */
  faults(route: string, response: Response, text: string): readonly string[] {
    const answer = this.operations.get(route)?.responses[response.status];
    if (answer === undefined)
      return [`The status ${response.status} is not documented: ${text.slice(0, 500)}`];
    const said = new Set(Object.keys(answer.headers ?? {}).map((name) => name.toLowerCase()));
    const unsaid = [...response.headers.keys()].filter((name) => !OF_ANY_ANSWER.has(name) && !said.has(name));
    if (unsaid.length > 0) return [`The header ${unsaid[0]} is not documented.`];
    const type = response.headers.get("content-type")?.split(";")[0];
    const content = answer.content?.[type ?? ""];
    if (answer.content === undefined) return text === "" ? [] : [`There is to be no body: ${text}`];
    if (content === undefined) return [`The type "${type}" is not documented.`];
    const absent = Object.entries(answer.headers ?? {}).filter(
      ([name]) => !AT_TIMES.has(name) && !response.headers.has(name),
    );
    if (absent.length > 0) return [`The header ${absent[0]?.[0]} is missing.`];
    return content.schema === undefined ? [] : this.#faultsOf(content.schema, text, answer["x-codes"]);
  }

  #faultsOf(schema: object, text: string, codes: readonly string[] | undefined): readonly string[] {
    const value: unknown = JSON.parse(text);
    const faults = faultsOf(this.#document, schema, value).map(
      ({ instanceLocation, error }) => `${instanceLocation}: ${error}`,
    );
    if (codes === undefined || faults.length > 0) return faults;
    const { code } = (value as ErrorAnswer).error;
    return codes.includes(code) ? [] : [`The code "${code}" is not documented.`];
  }
}
