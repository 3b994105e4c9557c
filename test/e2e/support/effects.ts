import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The outside world of a graph under test: an HTTP server that its nodes call. It counts the calls, which no crash of the
 * graph's own process can undo, and answers the held ones only when told to.
 */
export class Effects {
  readonly #server: Server;
  readonly #counts = new Map<string, number>();
  readonly #calls: string[] = [];
  readonly #held = new Map<string, ServerResponse[]>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Effects> {
    const server = createServer();
    const effects = new Effects(server);
    server.on("request", ({ url = "" }, response) => {
      // A connection that is kept may be closed here just as it is used there.
      response.shouldKeepAlive = false;
      effects.#onCall(url.slice(1), response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return effects;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The paths that were called, in the order of the calls. */
  get calls(): readonly string[] {
    return this.#calls;
  }

  /** How often the path was called. */
  count(path: string): number {
    return this.#counts.get(path) ?? 0;
  }

  /** How often paths that begin and end so were called. */
  countEnding(start: string, end: string): number {
    return Array.from(this.#counts).reduce(
      (sum, [path, count]) => (path.startsWith(start) && path.endsWith(end) ? sum + count : sum),
      0,
    );
  }

  /** Calls of the path get no answer from now on. */
  hold(path: string): void {
    this.#held.set(path, []);
  }

  /** Answers the calls that wait, and those to come. */
  release(path: string): void {
    for (const response of this.#held.get(path) ?? []) response.end("ok");
    this.#held.delete(path);
  }

  async dispose(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #onCall(path: string, response: ServerResponse): void {
    this.#calls.push(path);
    this.#counts.set(path, this.count(path) + 1);
    const held = this.#held.get(path);
    if (held === undefined) response.end("ok");
    else held.push(response);
  }
}
