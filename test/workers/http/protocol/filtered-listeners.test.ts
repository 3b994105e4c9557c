import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { threadEvents } from "../../../../src/http/protocol/thread-listener.ts";
import { Annotation, END, START, StateGraph } from "../../../../src/index.ts";
import { createRuntime } from "../../../../src/worker.ts";
import { until } from "../../../support/gate.ts";
import { ends, eventsUntil, start } from "../../../support/protocol.ts";
import { ProtocolSocket } from "../../../support/protocol-socket.ts";
import { request, TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

const graph = new StateGraph(Annotation.Root({ said: Annotation<string> }))
  .addNode("speak", () => ({ said: "hello" }))
  .addEdge(START, "speak")
  .addEdge("speak", END)
  .compile();

beforeAll(() => deploy({ graph }));

/** What the thread's object tells one who may know only of what is their own. */
async function listened(thread: TestThread) {
  const query = new URLSearchParams({ channel: "lifecycle", since: "0", access: '{"owner":"me"}' });
  const upgrade = { headers: { upgrade: "websocket" } };
  const opening = new Request(`https://thread/?${query.toString()}`, upgrade);
  const { webSocket: socket } = await thread.stub.fetch(opening);
  const told: unknown[] = [];
  socket?.addEventListener("message", ({ data }) => told.push(data));
  socket?.addEventListener("close", ({ code }) => told.push(code));
  socket?.accept();
  return { told, socket };
}

describe("a listener with a filter", () => {
  it("learns nothing of a thread of others: not that it is there, nor what happens in it, nor that it is deleted", async () => {
    const thread = new TestThread();
    await start(thread, { said: "" });
    const { told, socket } = await listened(thread);
    await start(thread, { said: "" });
    await eventsUntil(thread, ends(2), { channels: ["lifecycle"] });
    await thread.delete();
    await scheduler.wait(200);
    expect(told).toEqual([]);
    socket?.close();
  });

  it("hears a thread from its beginning when it becomes one of its own", async () => {
    const thread = new TestThread();
    await start(thread, { said: "" });
    const { told, socket } = await listened(thread);
    await eventsUntil(thread, ends(), { channels: ["lifecycle"] });
    expect(told).toEqual([]);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ metadata: { owner: "me" } });
    expect((await request(thread.path, { method: "PATCH", headers, body })).status).toBe(200);
    await start(thread, { said: "" });
    await until(() => told.length === 4);
    socket?.close();
  });
});

describe("a filter that is too large to be kept with a listener", () => {
  const filtered = (
    path: string,
    init: { readonly method?: string; readonly body?: string; upgrade?: string },
  ) => {
    const { upgrade, ...rest } = init;
    const runtime = createRuntime({
      graphs: { graph },
      auth: () => ({
        tenant: "",
        caller: "alice",
        scopes: ["*"],
        authorize: async () => ({ owner: "o".repeat(20_000) }),
      }),
    });
    const headers = { "content-type": "application/json", ...(upgrade !== undefined && { upgrade }) };
    const sent = new Request(`https://example.com/threads/a${path}`, { ...rest, headers });
    return runtime.fetch(sent, env, createExecutionContext());
  };

  it.each([
    ["/stream/events", { method: "POST", body: '{"channels":["lifecycle"]}' }],
    ["/stream", {}],
  ])("is refused: %s", async (path, init) => {
    const response = await filtered(path, init);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: "invalid_filter" } },
    ]);
  });

  it("is refused over a WebSocket", async () => {
    const socket = new ProtocolSocket(await filtered("/stream/events", { upgrade: "websocket" }));
    await until(() => socket.closed !== undefined);
    expect(socket.closed).toEqual({ code: 4400, reason: "invalid_filter" });
  });
});

it("an object that takes no listener is reported with the reason", async () => {
  const fault = new Error("The attachment is too large.");
  const fetch = () => Promise.reject(fault);
  const namespace = { getByName: () => ({ fetch }) };
  const listen = { namespace, name: "a", access: undefined, channels: [], since: 0 };
  const listening = threadEvents(listen, new AbortController().signal);
  await expect(listening.next()).rejects.toMatchObject({ cause: fault });
}, 20_000);
