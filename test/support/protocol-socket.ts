import { until } from "./gate.ts";
import type { CommandAnswer, ThreadEvent } from "./protocol.ts";
import { request, type TestThread } from "./threads.ts";

/** A client of the protocol over a WebSocket. */
export class ProtocolSocket {
  readonly messages: (CommandAnswer | ThreadEvent)[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #socket: WebSocket;
  #lastId = 0;

  constructor({ webSocket }: Response) {
    if (webSocket === null) throw new Error("The response has no socket.");
    this.#socket = webSocket;
    webSocket.addEventListener("message", ({ data }) => {
      this.messages.push(JSON.parse(String(data)) as CommandAnswer | ThreadEvent);
    });
    webSocket.addEventListener("close", ({ code, reason }) => {
      this.closed = { code, reason };
    });
    webSocket.accept();
  }

  static async open(thread: TestThread): Promise<ProtocolSocket> {
    return new ProtocolSocket(
      await request(`${thread.path}/stream/events`, { headers: { upgrade: "websocket" } }),
    );
  }

  get events(): readonly ThreadEvent[] {
    return this.messages.filter((message) => message.type === "event");
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  async command(method: string, params: object = {}): Promise<CommandAnswer> {
    const id = ++this.#lastId;
    this.send(JSON.stringify({ id, method, params }));
    const isAnswer = (message: CommandAnswer | ThreadEvent): message is CommandAnswer =>
      message.type !== "event" && message.id === id;
    await until(() => this.messages.some(isAnswer));
    return this.messages.filter(isAnswer)[0] as CommandAnswer;
  }

  close(): void {
    this.#socket.close();
  }
}
