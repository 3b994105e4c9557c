import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { Annotation, END, START, StateGraph } from "../../../../src/index.ts";
import type { LogRecord } from "../../../../src/log.ts";
import { toHex } from "../../../../src/hex.ts";
import { apiKeys, createRuntime } from "../../../../src/worker.ts";
import { ends, eventsUntil, start, type ThreadEvent } from "../../../support/protocol.ts";
import { ProtocolSocket } from "../../../support/protocol-socket.ts";
import { TestThread } from "../../../support/threads.ts";
import { Gate, until } from "../../../support/gate.ts";
import { deploy } from "../../graphs.ts";

const graph = new StateGraph(Annotation.Root({ said: Annotation<string> }))
  .addNode("speak", () => ({ said: "hello" }))
  .addEdge(START, "speak")
  .addEdge("speak", END)
  .compile();

const isCompleted = ({ method, params: { data } }: ThreadEvent): boolean =>
  method === "lifecycle" && data["event"] === "completed";

describe("a WebSocket of a thread", () => {
  it("takes commands, and tells each event once, whatever the subscriptions", async () => {
    deploy({ graph });
    const client = await ProtocolSocket.open(new TestThread());
    await client.command("subscription.subscribe", { channels: ["lifecycle", "values"] });
    const started = await client.command("run.start", { assistant_id: "graph", input: { said: "" } });
    expect(started).toMatchObject({ type: "success", result: { run_id: expect.any(String) } });
    await until(() => client.events.some(isCompleted));
    // One that comes later hears what has happened before; what both want comes no second time.
    const { result } = await client.command("subscription.subscribe", { channels: ["lifecycle", "updates"] });
    await until(() => client.events.some(({ method }) => method === "updates"));
    const firsts = client.events.filter(({ method }) => method === "values");
    expect(firsts).toHaveLength(2);
    expect(new Set(firsts.map(({ event_id: id }) => id)).size).toBe(2);
    const named = { subscription_id: result?.["subscription_id"] };
    expect(await client.command("subscription.unsubscribe", named)).toMatchObject({ type: "success" });
    expect(await client.command("subscription.unsubscribe", named)).toMatchObject({
      type: "error",
      error: "no_such_subscription",
    });
    client.close();
  });

  it("tells no end of a run to a client that makes its subscriptions one after the other, before they are answered", async () => {
    deploy({ graph });
    const thread = new TestThread();
    await start(thread, { said: "" });
    await eventsUntil(thread, ends());
    const isAnsweredFirst = async (): Promise<boolean> => {
      const client = await ProtocolSocket.open(thread);
      await client.command("subscription.subscribe", { channels: ["lifecycle", "values"] });
      await until(() => client.events.some(({ method }) => method === "values"));
      await client.command("subscription.subscribe", { channels: ["lifecycle", "updates"] });
      const isFirst = !client.events.some(isCompleted);
      await until(() => client.events.some(isCompleted));
      client.close();
      return isFirst;
    };
    // A machine that stands still may be too late once.
    const tries: boolean[] = [];
    while (tries.length < 5 && !tries.includes(true)) tries.push(await isAnsweredFirst());
    expect(tries).toContain(true);
  });

  it("answers what is no command, and goes on", async () => {
    deploy({ graph });
    const client = await ProtocolSocket.open(new TestThread());
    client.send("no JSON");
    client.send("[]");
    await until(() => client.messages.length === 2);
    expect(client.messages).toMatchObject([
      { type: "error", id: null, error: "invalid_argument" },
      { type: "error", id: null, error: "invalid_argument" },
    ]);
    expect(await client.command("nonsense")).toMatchObject({ error: "unknown_command" });
    client.close();
  });

  it.each([
    { text: "", few: 100, many: 101 },
    { text: "x".repeat(1_000_000), few: 20, many: 21 },
  ])("is closed for one who sends more than $few commands without waiting for answers", async (sent) => {
    const gate = new Gate();
    const principal = { tenant: "", caller: "alice", scopes: ["*"] };
    let requests = 0;
    const auth = async () => {
      if (++requests > 1) await gate.pass();
      return principal;
    };
    const runtime = createRuntime({ graphs: { graph }, auth });
    const open = async (count: number): Promise<ProtocolSocket> => {
      requests = 0;
      const url = `https://example.com/threads/${crypto.randomUUID()}/stream/events`;
      const opening = new Request(url, { headers: { upgrade: "websocket" } });
      const client = new ProtocolSocket(await runtime.fetch(opening, env, createExecutionContext()));
      const command = JSON.stringify({ id: 1, method: "nonsense", params: { text: sent.text } });
      for (let index = 0; index < count; index++) client.send(command);
      return client;
    };
    const flooding = await open(sent.many);
    await until(() => flooding.closed !== undefined);
    expect(flooding.closed).toEqual({ code: 1013, reason: "too_many_commands" });
    const waiting = await open(sent.few);
    await gate.reached();
    gate.open();
    await until(() => waiting.messages.length === sent.few);
    expect(waiting.closed).toBeUndefined();
    expect(flooding.messages).toEqual([]);
    waiting.close();
  });

  it("is closed when the thread is deleted", async () => {
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { said: "" } });
    const client = await ProtocolSocket.open(thread);
    await client.command("subscription.subscribe", { channels: ["lifecycle"] });
    await until(() => client.events.length > 0);
    await thread.delete();
    await until(() => client.closed !== undefined);
    expect(client.closed).toEqual({ code: 4404, reason: "thread_deleted" });
  });
});

describe("the key of a WebSocket", () => {
  // SHA-256 of "secret-1" and "secret-2".
  const keys = async () =>
    Promise.all(
      [
        { text: "secret-1", scopes: ["*"] },
        { text: "secret-2", scopes: ["assistants:read"] },
      ].map(async ({ text, scopes }) => {
        const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
        return { hash: toHex(new Uint8Array(digest)), name: text, scopes };
      }),
    );

  async function opened(protocols: string, bindings = {}): Promise<Response> {
    const list = await keys();
    const runtime = createRuntime({ graphs: { graph }, auth: apiKeys(() => list) });
    const headers = { upgrade: "websocket", "sec-websocket-protocol": protocols };
    const url = `https://example.com/threads/${crypto.randomUUID()}/stream/events`;
    return runtime.fetch(new Request(url, { headers }), { ...env, ...bindings }, createExecutionContext());
  }

  it("stands among its subprotocols, and is not agreed on", async () => {
    const response = await opened("tidemark, bearer.secret-1");
    expect(response.headers.get("sec-websocket-protocol")).toBe("tidemark");
    const client = new ProtocolSocket(response);
    expect(await client.command("nonsense")).toMatchObject({ error: "unknown_command" });
    client.close();
  });

  it("is no way around the limit of requests", async () => {
    let requests = 0;
    const RATE_LIMITER = { limit: async () => ({ success: ++requests <= 2 }) };
    const client = new ProtocolSocket(await opened("tidemark, bearer.secret-1", { RATE_LIMITER }));
    expect(await client.command("nonsense")).toMatchObject({ error: "unknown_command" });
    expect(await client.command("nonsense")).toMatchObject({ code: "rate_limited" });
    client.close();
  });

  it("is noted with the status that it was refused with", async () => {
    const records: LogRecord[] = [];
    const auths = { unauthenticated: () => undefined, internal: () => Promise.reject(new Error("outage")) };
    for (const auth of Object.values(auths)) {
      const log = { level: "info", sink: (record: LogRecord) => void records.push(record) } as const;
      const runtime = createRuntime({ graphs: { graph }, auth, log, report: () => undefined });
      const opening = new Request("https://example.com/threads/a/stream/events", {
        headers: { upgrade: "websocket" },
      });
      await runtime.fetch(opening, env, createExecutionContext());
    }
    expect(records.filter(({ event }) => event === "request")).toMatchObject([
      { status: 401, level: "info", code: "unauthenticated" },
      { status: 500, level: "warn" },
    ]);
  });

  it.each([
    ["is missing", "tidemark", 4401, "unauthenticated"],
    ["is wrong", "tidemark, bearer.secret-9", 4401, "unauthenticated"],
    ["does not cover threads", "tidemark, bearer.secret-2", 4403, "forbidden"],
  ])("closes it with the status when it %s", async (_, protocols, code, reason) => {
    const client = new ProtocolSocket(await opened(protocols));
    await until(() => client.closed !== undefined);
    expect(client.closed).toEqual({ code, reason });
    expect(client.messages).toEqual([]);
  });
});
