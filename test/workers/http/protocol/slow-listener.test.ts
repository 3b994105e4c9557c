import { describe, expect, it } from "vitest";
import { Annotation, END, START, StateGraph } from "../../../../src/index.ts";
import { ends, eventsUntil, start } from "../../../support/protocol.ts";
import { request, TestThread } from "../../../support/threads.ts";
import { until } from "../../../support/gate.ts";
import { deploy } from "../../graphs.ts";

const CHUNK = "x".repeat(100_000);
const CHUNKS = 60;

/** Emits six megabytes. */
const graph = new StateGraph(Annotation.Root({ said: Annotation<string> }))
  .addNode("emit", async (_, config) => {
    for (let index = 0; index < CHUNKS; index++) {
      config.writer({ index, text: CHUNK });
      await scheduler.wait(0);
    }
    return {};
  })
  .addEdge(START, "emit")
  .addEdge("emit", END)
  .compile();

/** A listener at the object itself, which takes what comes and says nothing, until it is asked to. */
class Listener {
  readonly messages: string[] = [];
  readonly #socket: WebSocket;

  constructor({ webSocket }: Response) {
    if (webSocket === null) throw new Error("The response has no socket.");
    this.#socket = webSocket;
    webSocket.addEventListener("message", ({ data }) => {
      this.messages.push(String(data));
    });
    webSocket.accept();
  }

  get size(): number {
    return this.messages.reduce((size, message) => size + message.length, 0);
  }

  acknowledge(characters: number): void {
    this.#socket.send(String(characters));
  }

  close(): void {
    this.#socket.close();
  }
}

describe("a listener who does not take what it is sent", () => {
  it("is sent a part of it, and the rest when it has taken that", async () => {
    deploy({ graph });
    const thread = new TestThread();
    await start(thread, { said: "" });
    await eventsUntil(thread, ends(), { channels: ["lifecycle"] });
    const url = "https://thread/?channel=custom&since=0";
    const listener = new Listener(
      await thread.stub.fetch(new Request(url, { headers: { upgrade: "websocket" } })),
    );
    await until(() => listener.size > 1_000_000);
    await scheduler.wait(100);
    const first = listener.messages.length;
    expect(first).toBeLessThan(20);
    let taken = 0;
    await until(() => {
      listener.acknowledge(listener.size - taken);
      taken = listener.size;
      return listener.messages.length === CHUNKS;
    });
    const indexes = listener.messages.map((message) => Number(/"index":(\d+)/.exec(message)?.[1]));
    expect(indexes).toEqual(Array.from({ length: CHUNKS }, (_, index) => index));
    listener.close();
  });

  it("gets all of it in the end, and holds up no one", async () => {
    deploy({ graph });
    const thread = new TestThread();
    const slow = await thread.post("/stream/events", { channels: ["custom", "lifecycle"] });
    await start(thread, { said: "" });
    const quick = await eventsUntil(thread, ends(), { channels: ["custom", "lifecycle"] });
    expect(quick).toHaveLength(CHUNKS + 2);
    let size = 0;
    const reader = slow.body?.getReader();
    while (size < CHUNKS * CHUNK.length) size += (await reader?.read())?.value?.byteLength ?? 0;
    await reader?.cancel();
    expect((await request(thread.path)).status).toBe(200);
  });
});

it("the runtime does not say how much a client's socket has not taken; when it does, WebSockets can be bounded, too", () => {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  client.accept();
  server.send(CHUNK);
  expect(Reflect.get(server, "bufferedAmount")).toBeUndefined();
  server.close();
});
