import { errorIn, unreachable } from "./client-error.ts";
import { type ClientEnvironment, Retrying } from "./retrying.ts";

export interface TransportOptions {
  /** Without a slash at its end. */
  readonly url: string;
  readonly headers: () => HeadersInit | Promise<HeadersInit>;
  readonly fetch: typeof fetch;
  /** In milliseconds. */
  readonly patience: number;
  readonly environment: ClientEnvironment;
}

export interface Sent {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Makes requests, each again until it is answered. */
export class Transport {
  readonly #options: TransportOptions;
  readonly environment: ClientEnvironment;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.environment = options.environment;
  }

  retrying(signal: AbortSignal | undefined): Retrying {
    return new Retrying(this.environment, this.#options.patience, signal);
  }

  /** The whole text of the answer. */
  async request(sent: Sent): Promise<string> {
    const retrying = this.retrying(sent.signal);
    for (;;) {
      try {
        return await textOf(await this.once(sent));
      } catch (failure) {
        await retrying.pause(failure);
      }
    }
  }

  /** One attempt; throws for an answer that says an error. */
  async once({ method, path, headers, body, signal }: Sent): Promise<Response> {
    const { url, fetch, headers: own } = this.#options;
    const all = new Headers(await own());
    for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value);
    if (body !== undefined) all.set("content-type", "application/json");
    const init = {
      method,
      headers: all,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    const response = await fetch(url + path, init).catch((cause: unknown) => {
      throw unreachable(cause);
    });
    if (!response.ok) throw errorIn(response, await textOf(response));
    return response;
  }
}

async function textOf(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw unreachable(cause);
  }
}
