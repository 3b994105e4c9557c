import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mintHook } from "../../../src/hooks/hook-token.ts";
import { END, interrupt, START, StateGraph, waitForEvent } from "../../../src/index.ts";
import type { OpenApiDocument } from "../../../src/openapi/document.ts";
import { Log } from "../../support/log.ts";
import { signed } from "../../support/signed-deliveries.ts";
import { until } from "../../support/gate.ts";
import { json, request, type RunAnswer, TestThread } from "../../support/threads.ts";
import { announcing, deploy, hookKeys } from "../graphs.ts";
import { DocumentedAnswers } from "./documented-answers.ts";

const ask = new StateGraph(Log)
  .addNode("ask", () => ({ log: [String(interrupt({ question: "Name?" }))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

const listen = new StateGraph(Log)
  .addNode("listen", () => ({ log: [JSON.stringify(waitForEvent("paid").payload)] }))
  .addEdge(START, "listen")
  .addEdge("listen", END)
  .compile();

const outer = new StateGraph(Log)
  .addNode("inner", ask)
  .addEdge(START, "inner")
  .addEdge("inner", END)
  .compile();

const fail = new StateGraph(Log)
  .addNode("fail", () => {
    throw new Error("no luck");
  })
  .addEdge(START, "fail")
  .compile();

interface Call {
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of a body of JSON. */
  readonly bytes?: Uint8Array<ArrayBuffer> | string;
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The statuses that were answered, by route. */
const seen = new Map<string, Set<number>>();
const faults: string[] = [];
let answers: DocumentedAnswers;

/** Calls the route with these values in its path; what is not as documented is noted. */
async function call(route: string, values: readonly string[] = [], options: Call = {}): Promise<Answered> {
  const [method = "", template = ""] = route.split(" ");
  const { query = "", body, bytes, headers = {} } = options;
  const given = [...values];
  const path = template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(given.shift() ?? ""));
  const sent = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await request(`${path}${query}`, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(sent !== undefined && { body: sent }),
  });
  const received = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(received);
  const found = answers.faults(route, response, text);
  faults.push(...found.map((fault) => `${route} ${response.status}: ${fault}`));
  seen.set(route, (seen.get(route) ?? new Set()).add(response.status));
  return { status: response.status, text, bytes: received };
}

async function told<Body = Record<string, unknown>>(...args: Parameters<typeof call>): Promise<Body> {
  const { text } = await call(...args);
  return JSON.parse(text) as Body;
}

const input = { log: ["in"] };

async function paused(): Promise<RunAnswer> {
  const body = { graph: "ask", input };
  return told<RunAnswer>("POST /threads/{thread_id}/invoke", [crypto.randomUUID()], { body });
}

beforeAll(async () => {
  announcing.isOn = true;
  deploy({ ask, listen, outer, fail });
  answers = new DocumentedAnswers((await json(request("/openapi.json"))) as OpenApiDocument);
});

afterAll(() => {
  announcing.isOn = false;
});

describe("the answers of a server are those of its document", { timeout: 30_000 }, () => {
  it("about itself", async () => {
    await call("GET /ok", [], { query: "?check_db=1" });
    await call("GET /info");
    await call("GET /openapi.json");
    await call("GET /docs");
  });

  it("about runs and their questions", async () => {
    const { thread_id: id, interrupts } = await paused();
    await call("GET /threads/{thread_id}/state", [id]);
    await call("POST /threads/{thread_id}/invoke", [id], { body: { input } });
    const answer = { interrupt_id: interrupts[0]?.id, value: "Ann" };
    await call("POST /threads/{thread_id}/resume", [id], { body: answer });
    await call("POST /threads/{thread_id}/resume", [id], { body: { ...answer, value: "Bob" } });
    await call("POST /threads/{thread_id}/invoke", [crypto.randomUUID()], { body: { graph: "fail", input } });
    const other = crypto.randomUUID();
    await call("POST /threads/{thread_id}/stream", [other], { body: { graph: "ask", input } });
    const later = { assistant_id: "ask", on_interrupted: "discard", after_seconds: 3600, input };
    const { run_id: run } = await told<{ run_id: string }>("POST /threads/{thread_id}/runs", [other], {
      body: later,
    });
    await call("GET /threads/{thread_id}/runs/{run_id}", [other, run]);
    await call("GET /threads/{thread_id}/runs", [other], { query: "?limit=5&select=run_id&select=status" });
    await call("DELETE /threads/{thread_id}/runs/{run_id}", [other, run]);
    await call("POST /threads/{thread_id}/runs/{run_id}/cancel", [other, run]);
    await call("POST /threads/{thread_id}/runs/{run_id}/cancel", [other, run]);
    const { run_id: another } = await told<{ run_id: string }>("POST /threads/{thread_id}/runs", [other], {
      body: later,
    });
    await call("POST /threads/{thread_id}/runs/{run_id}/cancel", [other, another], { query: "?wait=true" });
    await call("GET /threads/{thread_id}/runs/{run_id}/join", [other, run]);
    await call("GET /threads/{thread_id}/runs/{run_id}/stream", [other, run]);
    await call("DELETE /threads/{thread_id}/runs/{run_id}", [other, run]);
    const start = { assistant_id: "ask", input };
    await call("POST /threads/{thread_id}/runs/wait", [other], { body: start });
    await call("POST /threads/{thread_id}/runs/stream", [other], { body: start });
    const { run_id: ended, thread_id: its } = await paused();
    await call("POST /threads/{thread_id}/runs/{run_id}/cancel", [its, ended]);
    const { run_id: free } = await told<{ run_id: string }>("POST /runs", [], { body: start });
    await call("GET /runs/{run_id}/join", [free]);
    await call("GET /runs/{run_id}/stream", [free]);
    await call("POST /runs/cancel", [], { body: { thread_id: other, status: "all" } });
    await call("POST /runs/wait", [], { body: { assistant_id: "fail", input } });
    await call("POST /runs/stream", [], { body: start });
    await call("POST /runs/batch", [], { body: [start] });
  });

  it("about the thread protocol", async () => {
    const { thread_id: id } = await paused();
    const command = { id: 1, method: "state.get", params: {} };
    await call("POST /threads/{thread_id}/commands", [id], { body: command });
    await call("POST /threads/{thread_id}/commands", [id], { body: { ...command, method: "nonsense" } });
    await call("GET /threads/{thread_id}/stream/events", [id], { headers: { upgrade: "websocket" } });
    await call("GET /threads/{thread_id}/stream/events", [id]);
    const body = { channels: ["lifecycle"] };
    const reading = [
      call("POST /threads/{thread_id}/stream/events", [id], { body }),
      call("GET /threads/{thread_id}/stream", [id]),
    ];
    await until(async () => (await new TestThread(id).listeners()) === reading.length);
    // That ends the streams.
    await call("DELETE /threads/{thread_id}", [id]);
    await Promise.all(reading);
  });

  it("about states", async () => {
    const body = { graph: "outer", input };
    const id = crypto.randomUUID();
    const { checkpoint_id: checkpoint } = await told<RunAnswer>("POST /threads/{thread_id}/invoke", [id], {
      body,
    });
    await call("GET /threads/{thread_id}/state", [id], { query: "?subgraphs=true" });
    await call("GET /threads/{thread_id}/state", [id], { query: "?select=values.log&select=next" });
    await call("GET /threads/{thread_id}/state/{checkpoint_id}", [id, checkpoint]);
    await call("GET /threads/{thread_id}/state/{checkpoint_id}", [id, crypto.randomUUID()]);
    await call("POST /threads/{thread_id}/state/checkpoint", [id], {
      body: { checkpoint: { checkpoint_id: checkpoint } },
    });
    await call("POST /threads/{thread_id}/state", [id], {
      body: { values: { log: ["edited"] }, as_node: "inner" },
    });
    await call("GET /threads/{thread_id}/history", [id], { query: "?limit=2" });
    await call("POST /threads/{thread_id}/history", [id], { body: { select: ["values"] } });
  });

  it("about threads", async () => {
    const id = crypto.randomUUID();
    await call("POST /threads", [], { body: { thread_id: id, metadata: { story: "told" } } });
    await call("POST /threads", [], { body: { thread_id: id } });
    await call("PATCH /threads/{thread_id}", [id], { body: { metadata: { more: 1 } } });
    await call("PATCH /threads/{thread_id}", [id], { body: {}, headers: { prefer: "return=minimal" } });
    await call("PATCH /threads/{thread_id}/state", [id], { body: { metadata: { more: 2 } } });
    await call("GET /threads/{thread_id}", [(await paused()).thread_id]);
    await call("GET /threads/{thread_id}", [id]);
    await call("GET /threads/{thread_id}/usage", [id]);
    await call("POST /threads/search", [], { body: { limit: 3 } });
    await call("POST /threads/search", [], { body: { select: ["thread_id", "status"] } });
    await call("POST /threads/count", [], { body: {} });
    await call("GET /interrupts", [], { query: "?limit=1" });
    const { thread_id: full } = await paused();
    await call("POST /threads/{thread_id}/prune", [full], { body: { keep_last: 1 } });
    await call("POST /threads/prune", [], { body: { thread_ids: [full] } });
    await call("POST /threads/{thread_id}/copy", [full], { body: {} });
    const { bytes } = await call("GET /threads/{thread_id}/export", [full]);
    const headers = { "content-type": "application/vnd.tidemark.thread" };
    await call("POST /threads/{thread_id}/import", [crypto.randomUUID()], { bytes, headers });
    await call("POST /threads/{thread_id}/import", [full], { bytes, headers });
    await call("DELETE /threads/{thread_id}", [full]);
    await call("DELETE /threads/{thread_id}", [full]);
  });

  it("about events, links and webhooks", async () => {
    const id = crypto.randomUUID();
    await call("POST /threads/{thread_id}/invoke", [id], { body: { graph: "listen", input } });
    await call("GET /threads/{thread_id}/state", [id]);
    await call("POST /threads/{thread_id}/events/{key}", [id, "other"], { body: { amount: 1 } });
    await call("POST /threads/{thread_id}/events/{key}", [id, "paid"], { body: { amount: 1 } });
    await call("POST /threads/{thread_id}/events/{key}", [id, "paid"], { body: { amount: "one" } });
    const bytes = JSON.stringify({ thread: id, id: "d1", amount: 2 });
    const headers = { "content-type": "application/json", ...(await signed["github"]?.(bytes)) };
    await call("POST /webhooks/{source}", ["github"], { bytes, headers });
    await call("POST /webhooks/{source}", ["github"], {
      bytes,
      headers: { "content-type": "application/json" },
    });
    const { thread_id: asking } = await paused();
    await call("POST /threads/{thread_id}/runs", [asking], {
      body: { assistant_id: "ask", input, webhook: "http://receiver/ok" },
    });
    await call("GET /threads/{thread_id}/deliveries", [asking]);
    const other = await paused();
    const token = await mintHook(hookKeys, {
      tenant: "",
      threadId: other.thread_id,
      checkpointId: other.checkpoint_id,
      interruptId: other.interrupts[0]?.id ?? "",
      expires: Date.now() + 60_000,
      nonce: "n1",
    });
    await call("GET /hooks/{token}", [token]);
    await call("POST /hooks/{token}", [token], { body: "Ann" });
    await call("POST /hooks/{token}", [token], { body: "Ann" });
  });

  it("about crons", async () => {
    const { thread_id: id } = await paused();
    const cron = { schedule: "every 3600000", input };
    const { cron_id: own } = await told<{ cron_id: string }>("POST /threads/{thread_id}/runs/crons", [id], {
      body: cron,
    });
    await call("GET /threads/{thread_id}/runs/crons", [id]);
    await call("DELETE /threads/{thread_id}/runs/crons/{cron_id}", [id, own]);
    const { cron_id: free } = await told<{ cron_id: string }>("POST /runs/crons", [], {
      body: { ...cron, assistant_id: "ask" },
    });
    await call("POST /runs/crons", [], { body: { ...cron, assistant_id: "ask", schedule: "now and then" } });
    await call("PATCH /runs/crons/{cron_id}", [free], { body: { enabled: false } });
    await call("POST /runs/crons/search", [], { body: {} });
    await call("POST /runs/crons/count", [], { body: {} });
    await call("DELETE /runs/crons/{cron_id}", [free]);
    await call("DELETE /runs/crons/{cron_id}", [free]);
  });

  it("about assistants", async () => {
    const body = { graph_id: "outer", name: "Told", context: { tone: "formal" } };
    const { assistant_id: id } = await told<{ assistant_id: string }>("POST /assistants", [], { body });
    await call("GET /assistants/{assistant_id}", [id]);
    await call("GET /assistants/{assistant_id}", ["nobody"]);
    await call("PATCH /assistants/{assistant_id}", [id], { body: { name: "Again" } });
    await call("POST /assistants/search", [], { body: { limit: 1 } });
    await call("POST /assistants/count", [], { body: {} });
    await call("POST /assistants/{assistant_id}/versions", [id], { body: {} });
    await call("POST /assistants/{assistant_id}/latest", [id], { body: { version: 1 } });
    await call("GET /assistants/{assistant_id}/graph", [id], { query: "?xray=true" });
    await call("GET /assistants/{assistant_id}/schemas", [id]);
    await call("GET /assistants/{assistant_id}/subgraphs", [id], { query: "?recurse=true" });
    await call("GET /assistants/{assistant_id}/subgraphs/{namespace}", [id, "inner"]);
    await call("DELETE /assistants/{assistant_id}", [id]);
  });

  it("about the store", async () => {
    const item = { namespace: ["story"], key: "k" };
    await call("PUT /store/items", [], { body: { ...item, value: { a: 1 } } });
    await call("GET /store/items", [], { query: "?namespace=story&key=k" });
    await call("GET /store/items", [], { query: "?namespace=story&key=none" });
    await call("POST /store/items/search", [], { body: { namespace_prefix: ["story"] } });
    await call("POST /store/namespaces", [], { body: {} });
    await call("DELETE /store/items", [], { body: item });
  });

  it("about a tenant", async () => {
    await call("POST /directory/rebuild", [], { body: { objects: [] } });
    await call("DELETE /tenant", [], { query: "?limit=1" });
  });

  it("which are found not to be so where they are not", async () => {
    const { thread_id: id } = await paused();
    const response = await request(`/threads/${id}`);
    const text = await response.text();
    const route = "GET /threads/{thread_id}";
    expect(answers.faults(route, response, text)).toEqual([]);
    const thread = JSON.parse(text) as Record<string, unknown>;
    const { status: _, ...short } = thread;
    for (const other of [{ ...thread, unheard_of: 1 }, { ...thread, status: "asleep" }, short]) {
      expect(answers.faults(route, response, JSON.stringify(other))).not.toEqual([]);
    }
    expect(answers.faults("GET /ok", new Response(null, { status: 202 }), "")).toHaveLength(1);
    const error = { error: { code: "unheard_of", message: "", details: {} }, message: "", detail: "" };
    const missing = Response.json(error, { status: 404 });
    expect(answers.faults(route, missing, JSON.stringify(error))).toEqual([
      'The code "unheard_of" is not documented.',
    ]);
  });

  it("on every route, with every status of success", () => {
    expect(faults).toEqual([]);
    const untold = [...answers.operations].flatMap(([route, { responses }]) =>
      Object.keys(responses)
        .filter((status) => /^[12]/.test(status) && !seen.get(route)?.has(Number(status)))
        .map((status) => `${route} ${status}`),
    );
    expect(untold).toEqual([]);
  });
});
