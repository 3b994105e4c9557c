import type { AnswerOf, BodyOf, PathOf, Route } from "./routes.ts";
import type { RunEvent } from "./run-event.ts";
import { failureOf, runEvents } from "./run-events.ts";
import type { Sent, Transport } from "./transport.ts";

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** The same call again, also from elsewhere or later, under the same key is the same call. Made anew for each call unless given. */
  readonly idempotencyKey?: string;
  /** The checkpoint at which the thread has to be, or else the call is refused. */
  readonly ifMatch?: string;
}

/** What the call of a route is made with. */
export type Call<R extends Route> = UntypedCall &
  (unknown extends PathOf<R> ? { readonly path?: undefined } : { readonly path: PathOf<R> }) &
  (BodyOf<R> extends undefined ? { readonly body?: undefined } : { readonly body: BodyOf<R> });

/** Calls routes by their names. */
export class Caller {
  readonly #transport: Transport;
  readonly #silence: number;

  /** `silence`: how long nothing may come in a stream, in milliseconds. */
  constructor(transport: Transport, silence: number) {
    this.#transport = transport;
    this.#silence = silence;
  }

  /** The JSON that the route answers; null for none. */
  async call<R extends Route>(route: R, call: Call<R>): Promise<AnswerOf<R>> {
    const text = await this.#transport.request(this.#sent(route, call));
    return (text === "" ? null : JSON.parse(text)) as AnswerOf<R>;
  }

  /** Of the routes that answer the values of a run alone. */
  async values<Values>(route: Route, call: UntypedCall): Promise<Values> {
    const values: unknown = JSON.parse(await this.#transport.request(this.#sent(route, call)));
    if (typeof values === "object" && values !== null && "__error__" in values)
      throw failureOf(values["__error__"]);
    return values as Values;
  }

  events<Values>(route: Route, call: UntypedCall): AsyncGenerator<RunEvent<Values>, void, undefined> {
    const events = runEvents(this.#transport, this.#sent(route, call), this.#silence);
    return events as AsyncGenerator<RunEvent<Values>, void, undefined>;
  }

  #sent(route: Route, { path = {}, query = {}, body, signal, ifMatch, idempotencyKey }: UntypedCall): Sent {
    const [method = "", template = ""] = route.split(" ");
    // Every call may have to be sent again: under its key the server knows it.
    const key = idempotencyKey ?? this.#transport.environment.newKey();
    return {
      method,
      path:
        template.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? "")) +
        queryOf(query),
      headers: {
        ...(method === "POST" && { "idempotency-key": key }),
        ...(ifMatch !== undefined && { "if-match": ifMatch }),
      },
      body,
      signal,
    };
  }
}

interface UntypedCall extends CallOptions {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

function queryOf(query: NonNullable<CallOptions["query"]>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) parameters.append(name, String(each));
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}
