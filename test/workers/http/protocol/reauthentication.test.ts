import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../../src/index.ts";
import { createRuntime, type Principal } from "../../../../src/worker.ts";
import { Gate, until } from "../../../support/gate.ts";
import { gated } from "../../../support/gated.ts";
import { Log } from "../../../support/log.ts";
import { ProtocolSocket } from "../../../support/protocol-socket.ts";
import { json, request, type RunAnswer, TestThread } from "../../../support/threads.ts";
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

/** What became of a response in the end. */
function outcomeOf(response: Response): { readonly outcome: string | undefined } {
  const end: { outcome: string | undefined } = { outcome: undefined };
  void response.text().then(
    () => (end.outcome = "complete"),
    () => (end.outcome = "broken off"),
  );
  return end;
}

/** A thread whose graph waits at a gate, on a server that asks again and again. */
function slow({ gate, graph: waitingGraph } = gated()) {
  deploy({ graph: waitingGraph });
  const thread = new TestThread();
  const { server, fetched } = serverFor(thread, 100);
  const askedAgain = async (): Promise<void> => {
    const before = server.sent;
    await until(() => server.sent > before + 2);
  };
  /** The run goes on whoever is refused. */
  const goesOn = async (): Promise<void> => {
    gate.open();
    const [run] = (await thread.get("/runs")) as { run_id: string }[];
    expect(await thread.get(`/runs/${run?.run_id}/join`)).toMatchObject({
      log: expect.arrayContaining([expect.any(String)]),
    });
    deploy({ graph });
  };
  return { gate, server, fetched, askedAgain, goesOn };
}

type Verdict = Awaited<ReturnType<NonNullable<Principal["authorize"]>>>;

/** Whom the handlers say this of, by the action. */
const judged = (verdict: (action: string) => Verdict): Principal => ({
  ...alice,
  authorize: async ({ action, value }) => {
    if (action === "create_run") value["metadata"] = { owner: "alice" };
    return verdict(action);
  },
});

const owned = judged(() => ({ owner: "alice" }));

const unwelcome: readonly [string, Principal, Principal | undefined][] = [
  ["when their key does not hold any more", alice, undefined],
  ["when handlers refuse them by now", judged(() => true), judged(() => false)],
  ["when handlers show them others now", owned, judged(() => ({ owner: "bob" }))],
];

describe.each(Object.entries(waiting))("who waits for a run: %s", (_, wait) => {
  it.each(unwelcome)("is broken off %s", async (_when, before, after) => {
    const { gate, server, fetched, askedAgain, goesOn } = slow();
    server.principal = before;
    const response = await wait(fetched);
    expect(response.status).toBe(200);
    const end = outcomeOf(response);
    await gate.reached();
    await askedAgain();
    expect(end.outcome).toBeUndefined();
    server.principal = after;
    await until(() => end.outcome !== undefined);
    expect(end.outcome).toBe("broken off");
    await goesOn();
  });
});

/** A graph that asks whoever says nothing, and waits at a gate then. */
function asking() {
  const gate = new Gate();
  const asks = new StateGraph(Log)
    .addNode("wait", async ({ log }) => {
      const said = log.length > 0 ? "n" : String(interrupt("Name?"));
      await gate.pass();
      return { log: [said] };
    })
    .addEdge(START, "wait")
    .addEdge("wait", END)
    .compile();
  return { gate, graph: asks };
}

const foreground: Record<string, (fetched: Fetched) => Promise<Response>> = {
  "POST /invoke": (fetched) => post(fetched, "/invoke", { input: { log: ["in"] } }),
  "POST /resume": async (fetched) => {
    const paused = (await json(post(fetched, "/invoke"))) as RunAnswer;
    const body = JSON.stringify({ interrupt_id: paused.interrupts[0]?.id, value: "Ann" });
    return fetched("/resume", { method: "POST", body });
  },
};

describe.each(Object.entries(foreground))("who waits for an answer: %s", (_, wait) => {
  it.each(unwelcome)("is refused %s", async (_when, before, after) => {
    const { gate, server, fetched, askedAgain, goesOn } = slow(asking());
    server.principal = before;
    const answering = wait(fetched);
    await gate.reached();
    await askedAgain();
    server.principal = after;
    expect((await answering).status).toBe(after === undefined ? 401 : 403);
    await goesOn();
  });
});

describe("who may start runs but not read them", () => {
  it.each(["/runs/wait", "/runs/stream", "/invoke"])("gets the whole answer of %s", async (path) => {
    const { gate, server, fetched, askedAgain, goesOn } = slow();
    server.principal = judged((action) => action === "create_run");
    const answering = post(fetched, path).then(async (response) => [response.status, await response.text()]);
    await gate.reached();
    await askedAgain();
    await goesOn();
    expect(await answering).toEqual([200, expect.stringContaining('"n"')]);
  });
});
