import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Stands between clients and a server, and cuts connections. */
export class CutConnections {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections are cut when so many bytes were answered on them. */
  limit = Infinity;
  cuts = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(port: number): Promise<CutConnections> {
    const server = createServer();
    const opened = new CutConnections(server);
    server.on("connection", (socket) => opened.#join(socket, connect(port, "127.0.0.1")));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return opened;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.cuts += 1;
  }

  async dispose(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket, server: Socket): void {
    let answered = 0;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      // What is cut says so here.
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(server);
    server.on("data", (chunk: Buffer) => {
      answered += chunk.byteLength;
      client.write(chunk);
      if (answered < this.limit) return;
      this.cuts += 1;
      // What was written is to arrive first.
      client.end(() => client.destroy());
    });
  }
}
