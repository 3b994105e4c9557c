import { TidemarkError } from "../errors.ts";
import { calledNode, callTask } from "../pregel/call.ts";
import type { NodeConfig } from "../pregel/types.ts";

export interface DurableFetchOptions extends RequestInit {
  /** Sends the request; the platform's by default. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** What is stored of a response. */
interface RecordedResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

/** Of a body, in bytes: it is stored as the result of a task. */
const MAX_BODY = 8 * 1024 * 1024;

/** Headers that were true of the bytes on their way. */
const OF_THE_TRANSFER: readonly string[] = ["content-encoding", "content-length", "transfer-encoding"];

/**
 * `fetch` for nodes, entrypoints and tasks. The request carries an `Idempotency-Key` that stays the same however often the
 * node is tried, and a response that says success (2xx) is stored: when the node starts again it gets that response, and
 * no request is sent. Any other response is handed on and not stored. Calls are matched by their order in the node.
 *
 * A body of a response that is stored may have 8 MiB. A key that the request has of its own is sent in place of ours.
 */
export async function durableFetch(
  input: string | URL | Request,
  { fetch: send = (request) => fetch(request), ...init }: DurableFetchOptions = {},
): Promise<Response> {
  const request = new Request(input, init);
  let failed: Response | undefined;
  const exchange = async (_: unknown, config: NodeConfig): Promise<RecordedResponse> => {
    if (!request.headers.has("idempotency-key")) {
      request.headers.set("idempotency-key", config.executionInfo.effectKey);
    }
    const response = await send(new Request(request, { signal: config.signal }));
    if (response.ok) return recorded(response);
    failed = response;
    throw new UnsuccessfulResponseError(response.status);
  };
  // What streams show of the call: neither headers nor a query, which may hold secrets.
  const { origin, pathname } = new URL(request.url);
  const shown = { method: request.method, url: `${origin}${pathname}` };
  try {
    const result = await callTask(calledNode({ name: "fetch", run: exchange }), [shown]);
    // Its own result, or what an earlier attempt has stored of it.
    return revived(result as RecordedResponse);
  } catch (error) {
    if (failed !== undefined) return failed;
    throw error;
  }
}

/** Ends the task, so that nothing is stored of it. */
class UnsuccessfulResponseError extends Error {
  constructor(status: number) {
    super(`The response has the status ${status}, and is not stored.`);
    this.name = "UnsuccessfulResponseError";
  }
}

async function recorded(response: Response): Promise<RecordedResponse> {
  const body = new Uint8Array(await response.arrayBuffer());
  if (body.length > MAX_BODY) {
    throw new TidemarkError(
      "response_not_storable",
      `The response has ${body.length} bytes; durableFetch() stores up to ${MAX_BODY}. Use fetch() and executionInfo.effectKey.`,
      { details: { size: body.length, limit: MAX_BODY } },
    );
  }
  const { status, statusText } = response;
  const headers = [...response.headers].filter(([name]) => !OF_THE_TRANSFER.includes(name));
  return { status, statusText, headers, body };
}

function revived({ status, statusText, headers, body }: RecordedResponse): Response {
  const hasNoBody = status === 204 || status === 205;
  return new Response(hasNoBody ? null : new Uint8Array(body), {
    status,
    statusText,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
  });
}
