import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { Annotation, END, START, StateGraph } from "../../../../src/index.ts";
import { createRuntime, type Principal } from "../../../../src/worker.ts";
import { until } from "../../../support/gate.ts";
import { gated } from "../../../support/gated.ts";
import { ProtocolSocket } from "../../../support/protocol-socket.ts";
import { request, TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

const graph = new StateGraph(Annotation.Root({ said: Annotation<string> }))
  .addNode("speak", () => ({ said: "hello" }))
  .addEdge(START, "speak")
  .addEdge("speak", END)
  .compile();

beforeAll(() => deploy({ graph }));

const alice: Principal = { tenant: "", caller: "alice", scopes: ["*"] };
const started = { assistant_id: "graph", input: { said: "" } };

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A server whose key can be taken back, and which asks for it again after so many milliseconds. */
function serverFor(thread: TestThread, reauthenticate = 300_000) {
  const server = { principal: alice as Principal | undefined, sent: 0 };
  const runtime = createRuntime({
    graphs: { graph },
    auth: (sent) => {
      server.sent += 1;
      return sent.headers.get("x-key") === "alice" ? server.principal : undefined;
    },
    events: { reauthenticate },
  });
  const fetched = async (path: string, init: Sent = {}): Promise<Response> =>
    runtime.fetch(
      new Request(`https://example.com${thread.path}${path}`, {
        ...init,
        headers: { "x-key": "alice", "content-type": "application/json", ...init.headers },
      }),
      env,
      createExecutionContext(),
    );
  const opened = async (headers: Record<string, string> = {}): Promise<ProtocolSocket> =>
    new ProtocolSocket(await fetched("/stream/events", { headers: { upgrade: "websocket", ...headers } }));
  return { server, fetched, opened };
}

const refused: readonly [string, Principal | undefined, object][] = [
  ["whose key does not hold any more", undefined, { code: 4401, reason: "unauthenticated" }],
  ["who is somebody else now", { ...alice, caller: "bob" }, { code: 4401, reason: "unauthenticated" }],
  ["whose threads are others now", { ...alice, tenant: "other" }, { code: 4401, reason: "unauthenticated" }],
  ["who may not read threads any more", { ...alice, scopes: [] }, { code: 4403, reason: "forbidden" }],
  [
    "who may know of nothing any more",
    { ...alice, authorize: async () => false },
    { code: 4403, reason: "forbidden" },
  ],
];

describe("a WebSocket", () => {
  it.each(refused)("takes no command of one %s", async (_, principal, closed) => {
    const thread = new TestThread();
    const { server, opened } = serverFor(thread);
    const socket = await opened();
    expect(await socket.command("nonsense")).toMatchObject({ error: "unknown_command" });
    server.principal = principal;
    expect(await socket.command("run.start", started)).toMatchObject({ type: "error" });
    await until(() => socket.closed !== undefined);
    expect(socket.closed).toEqual(closed);
    expect((await request(thread.path)).status).toBe(404);
  });

  it.each(refused)("is closed for one who only listens and %s", async (_, principal, closed) => {
    const thread = new TestThread();
    const { server, opened } = serverFor(thread, 100);
    const socket = await opened();
    await socket.command("subscription.subscribe", { channels: ["lifecycle"] });
    await until(() => server.sent > 3);
    expect(socket.closed).toBeUndefined();
    server.principal = principal;
    await until(() => socket.closed !== undefined);
    expect(socket.closed).toEqual(closed);
  });

  it("answers commands as their sender may know of the thread now", async () => {
    const thread = new TestThread();
    await thread.invoke({ input: { said: "" } });
    const { server, opened } = serverFor(thread);
    const socket = await opened();
    expect(await socket.command("state.get")).toMatchObject({ type: "success" });
    server.principal = { ...alice, authorize: async () => ({ owner: "alice" }) };
    expect(await socket.command("state.get")).toMatchObject({ type: "error", code: "thread_not_found" });
    socket.close();
  });

  it("does not take the conditions of its handshake for those of its commands", async () => {
    const thread = new TestThread();
    const { opened } = serverFor(thread);
    const socket = await opened({ "idempotency-key": "one", "if-match": "none" });
    const runs = [await socket.command("run.start", started), await socket.command("run.start", started)];
    expect(runs).toMatchObject([{ type: "success" }, { type: "success" }]);
    expect(new Set(runs.map(({ result }) => result?.run_id)).size).toBe(2);
    socket.close();
  });
});

describe("server-sent events of a thread", () => {
  const listening = {
    "the protocol's": (fetched: ReturnType<typeof serverFor>["fetched"]) =>
      fetched("/stream/events", { method: "POST", body: JSON.stringify({ channels: ["lifecycle"] }) }),
    "those of its runs": (fetched: ReturnType<typeof serverFor>["fetched"]) => fetched("/stream"),
  };

  it.each(Object.entries(listening))("end when their key does not hold any more: %s", async (_, listen) => {
    const thread = new TestThread();
    await thread.invoke({ input: { said: "" } });
    const { server, fetched } = serverFor(thread, 100);
    const response = await listen(fetched);
    expect(response.status).toBe(200);
    let isOver = false;
    void response.text().then(
      () => (isOver = true),
      () => (isOver = true),
    );
    await until(() => server.sent > 3);
    expect(isOver).toBe(false);
    server.principal = undefined;
    await until(() => isOver);
    expect((await fetched("/stream")).status).toBe(401);
  });
});

type Fetched = ReturnType<typeof serverFor>["fetched"];

const post = (fetched: Fetched, path: string, more: object = {}) =>
  fetched(path, { method: "POST", body: JSON.stringify({ input: { log: [] }, ...more }) });

/** Starts a run that does not end, and waits for it. */
const waiting: Record<string, (fetched: Fetched) => Promise<Response>> = {
  "POST /stream": (fetched) => post(fetched, "/stream"),
  "POST /runs/stream": (fetched) => post(fetched, "/runs/stream", { on_disconnect: "cancel" }),
  "POST /runs/wait": (fetched) => post(fetched, "/runs/wait", { on_disconnect: "cancel" }),
  "GET /runs/:run_id/stream": async (fetched) => {
    const { run_id: id } = await (await post(fetched, "/runs")).json<{ run_id: string }>();
    return fetched(`/runs/${id}/stream?cancel_on_disconnect=1`);
  },
  "GET /runs/:run_id/join": async (fetched) => {
    const { run_id: id } = await (await post(fetched, "/runs")).json<{ run_id: string }>();
    return fetched(`/runs/${id}/join?cancel_on_disconnect=1`);
  },
};

describe("who waits for a run", () => {
  it.each(Object.entries(waiting))(
    "is broken off when their key does not hold any more: %s",
    async (_, wait) => {
      const { gate, graph: slow } = gated();
      deploy({ graph: slow });
      const thread = new TestThread();
      const { server, fetched } = serverFor(thread, 100);
      const response = await wait(fetched);
      expect(response.status).toBe(200);
      let outcome: string | undefined;
      void response.text().then(
        () => (outcome = "complete"),
        () => (outcome = "broken off"),
      );
      await gate.reached();
      const before = server.sent;
      await until(() => server.sent > before + 2);
      expect(outcome).toBeUndefined();
      server.principal = undefined;
      await until(() => outcome !== undefined);
      expect(outcome).toBe("broken off");
      gate.open();
      const [run] = (await thread.get("/runs")) as { run_id: string }[];
      expect(await thread.get(`/runs/${run?.run_id}/join`)).toEqual({ log: ["n"] });
      deploy({ graph });
    },
  );
});
