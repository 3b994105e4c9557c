import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { RateLimiter } from "../../../../src/http/auth/rate-limit.ts";
import { END, interrupt, START, StateGraph } from "../../../../src/index.ts";
import { createRuntime, type RuntimeOptions } from "../../../../src/worker.ts";
import { Log } from "../../../support/log.ts";
import { deploy } from "../../graphs.ts";

const ask = new StateGraph(Log)
  .addNode("ask", () => ({ log: [String(interrupt("Name?"))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** In the place of `body`, as they are. */
  readonly bytes?: ArrayBuffer;
}

/** A server with authentication, in front of the objects of the test worker. */
export function server(
  options: Pick<RuntimeOptions, "auth" | "crons" | "openapi" | "origins" | "report" | "store">,
  bindings: { readonly RATE_LIMITER?: RateLimiter; readonly API_KEYS?: string } = {},
  graphs: RuntimeOptions["graphs"] = { ask },
) {
  deploy(graphs);
  const runtime = createRuntime({ graphs, directory: { shards: 2 }, ...options });
  return async (path: string, { method, headers = {}, body, bytes }: Call = {}): Promise<Response> =>
    runtime.fetch(
      new Request(`https://agents.example.com${path}`, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(bytes !== undefined && { body: bytes }),
      }),
      { ...env, ...bindings },
      createExecutionContext(),
    );
}

/** The code of the error that an answer says. */
export async function codeOf(response: Response): Promise<string> {
  const { error } = await response.json<{ error: { code: string } }>();
  return error.code;
}
