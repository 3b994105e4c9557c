import { type Call, Caller, type CallOptions } from "./caller.ts";
import type { ClientEnvironment } from "./retrying.ts";
import type { AnswerOf, BodyOf, Route } from "./routes.ts";
import type { RunEvent } from "./run-event.ts";
import { SYSTEM } from "./system-environment.ts";
import { ThreadClient } from "./thread-client.ts";
import { Transport } from "./transport.ts";

/**
 * A client of the API for browsers, Node and Workers, without dependencies.
 *
 * @module
 */

export type { Call, CallOptions } from "./caller.ts";
export { TidemarkClientError } from "./client-error.ts";
export type { ClientEnvironment } from "./retrying.ts";
export type { AnswerOf, BodyOf, Route } from "./routes.ts";
export type { RunEvent } from "./run-event.ts";
export type { Outcome, ThreadClient, ThreadRuns, ThreadState } from "./thread-client.ts";

export interface ClientOptions {
  /** Of the server, as in "https://agents.example.com". */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string;
  /** Asked for with each request. */
  readonly headers?: () => HeadersInit | Promise<HeadersInit>;
  readonly fetch?: typeof fetch;
  /** For how long a call that has failed is made again while nothing comes of it, in milliseconds; 60,000 by default. */
  readonly patience?: number;
  /** A stream is opened anew when nothing has come for so long, in milliseconds; 20,000 by default. */
  readonly silence?: number;
  readonly environment?: ClientEnvironment;
}

/** The values of a graph: as given, or those of a compiled graph. */
export type ValuesOf<Graph> = Graph extends { invoke(...args: never[]): Promise<infer Values> }
  ? Values
  : Graph;

const PATIENCE = 60_000;
const SILENCE = 20_000;

/** `Values`: what the state of the graph has, or the type of the graph. */
export class TidemarkClient<Graph = Record<string, unknown>> {
  readonly #caller: Caller;

  constructor({
    url,
    apiKey,
    headers,
    fetch: own,
    patience = PATIENCE,
    silence = SILENCE,
    environment = SYSTEM,
  }: ClientOptions) {
    const transport = new Transport({
      url: new URL(url).href.replace(/\/$/, ""),
      headers: async () => ({
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...Object.fromEntries(new Headers(await headers?.())),
      }),
      // A method of another object: called as it is, browsers refuse it.
      fetch: own ?? ((input, init) => fetch(input, init)),
      patience,
      environment,
    });
    this.#caller = new Caller(transport, silence);
  }

  /** The thread with this id, whether or not it is there yet. */
  thread<Own = Graph>(id: string): ThreadClient<ValuesOf<Own>> {
    return new ThreadClient(this.#caller, id);
  }

  /**
   * Any route, by its name, typed by the schemas that check it.
   *
   * @example
   * await client.call("POST /threads/search", { body: { status: "interrupted" } });
   */
  call<R extends Route>(route: R, call: Call<R>): Promise<AnswerOf<R>> {
    return this.#caller.call(route, call);
  }

  createThread(
    body: BodyOf<"POST /threads"> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<"POST /threads">> {
    return this.#caller.call("POST /threads", { body, ...options });
  }

  searchThreads(
    body: BodyOf<"POST /threads/search"> = {},
    options?: CallOptions,
  ): Promise<AnswerOf<"POST /threads/search">> {
    return this.#caller.call("POST /threads/search", { body, ...options });
  }

  /** The questions that wait for an answer, of all threads, page after page. */
  async *interrupts(
    options?: CallOptions,
  ): AsyncGenerator<AnswerOf<"GET /interrupts">["interrupts"][number]> {
    let after: string | null | undefined;
    do {
      const query = { ...options?.query, ...(after != null && { after }) };
      const page = await this.#caller.call("GET /interrupts", { ...options, query });
      yield* page.interrupts;
      after = page.next;
    } while (after !== null);
  }

  /** Runs without a thread of the caller's own: its values when it has ended. */
  async run(body: BodyOf<"POST /runs/wait">, options?: CallOptions): Promise<ValuesOf<Graph>> {
    return this.#caller.values("POST /runs/wait", { body, ...options });
  }

  /** As `run`, by its events. */
  streamRun(
    body: BodyOf<"POST /runs/stream">,
    options?: CallOptions,
  ): AsyncGenerator<RunEvent<ValuesOf<Graph>>, void, undefined> {
    return this.#caller.events("POST /runs/stream", { body, ...options });
  }
}
