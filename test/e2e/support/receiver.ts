import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Takes webhooks. The first `held` of them get no answer. */
export class Receiver {
  readonly received: ReceivedMessage[] = [];
  readonly #server: Server;
  #held: number;

  private constructor(server: Server, held: number) {
    this.#server = server;
    this.#held = held;
  }

  static async open(held = 0): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server, held);
    server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        receiver.#take({ headers: request.headers, body: Buffer.concat(chunks).toString() }, response);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return receiver;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async dispose(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #take(message: ReceivedMessage, response: ServerResponse): void {
    this.received.push(message);
    if (this.#held === 0) response.end();
    else this.#held -= 1;
  }
}
