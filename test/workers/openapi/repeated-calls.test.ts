import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mintHook } from "../../../src/hooks/hook-token.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { apiKeys, createRuntime } from "../../../src/worker.ts";
import { toHex } from "../../../src/hex.ts";
import type { KeysApi, Reply } from "../../../src/thread/protocol.ts";
import { Log } from "../../support/log.ts";
import { notedText, recordsOf } from "../../support/records.ts";
import { signed } from "../../support/signed-deliveries.ts";
import { json, request, type RunAnswer, TestThread } from "../../support/threads.ts";
import { wholeApp } from "../../support/whole-app.ts";
import type { OpenApiDocument } from "../../../src/openapi/document.ts";
import { announcing, deploy, hookKeys } from "../graphs.ts";

const ask = new StateGraph(Log)
  .addNode("ask", () => ({ log: [String(interrupt("Name?"))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

interface Call {
  readonly path: string;
  readonly body?: unknown;
  /** In place of a body of JSON. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** A call, and another one of the same route that says something else. */
type Calls = readonly [first: Call, other: Call];

const input = { log: ["in"] };
const later = { assistant_id: "ask", input, after_seconds: 3600 };
const cron = { schedule: "every 3600000", input, assistant_id: "ask" };

async function sent({ path, body, bytes }: Call, headers: Record<string, string> = {}): Promise<Response> {
  const type = bytes === undefined ? "application/json" : "application/vnd.tidemark.thread";
  return request(path, {
    method: "POST",
    headers: { "content-type": type, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(bytes && { body: bytes }),
  });
}

async function made<Made>(path: string, body: unknown): Promise<Made> {
  return (await json(sent({ path, body }))) as Made;
}

const asking = (): Promise<RunAnswer> => new TestThread().invoke({ input });

/** Calls that differ in their bodies. */
function bodies(path: string, first: unknown, other: unknown): Calls {
  return [
    { path, body: first },
    { path, body: other },
  ];
}

/** Starting, on a thread of its own. */
function starting(path: string, body: object = { assistant_id: "ask", input }): () => Calls {
  return () => {
    const place = path.replace("{thread_id}", crypto.randomUUID());
    return bodies(place, body, { ...body, input: { log: ["other"] } });
  };
}

async function assistant(): Promise<string> {
  const { assistant_id: id } = await made<{ assistant_id: string }>("/assistants", { graph_id: "ask" });
  const init = { method: "PATCH", headers: { "content-type": "application/json" }, body: `{"name":"other"}` };
  await json(request(`/assistants/${id}`, init));
  return id;
}

async function archive(): Promise<Uint8Array<ArrayBuffer>> {
  const { thread_id: id } = await asking();
  return new Uint8Array(await (await request(`/threads/${id}/export`)).arrayBuffer());
}

async function delayed(): Promise<{ readonly thread: string; readonly run: string }> {
  const { thread_id: thread } = await made<{ thread_id: string }>("/threads", {});
  const { run_id: run } = await made<{ run_id: string }>(`/threads/${thread}/runs`, later);
  return { thread, run };
}

async function objectOf(): Promise<string> {
  const { thread_id: id } = await asking();
  return env.THREAD.idFromName(objectName("", id)).toString();
}

async function tokenOf({ thread_id: threadId, checkpoint_id, interrupts }: RunAnswer): Promise<string> {
  return mintHook(hookKeys, {
    tenant: "",
    threadId,
    checkpointId: checkpoint_id,
    interruptId: interrupts[0]?.id ?? "",
    expires: Date.now() + 60_000,
    nonce: crypto.randomUUID(),
  });
}

/** Calls of every operation that changes something, by its id and what is special about them. */
const CHANGES: Readonly<Record<string, () => Calls | Promise<Calls>>> = {
  invoke: starting("/threads/{thread_id}/invoke", { graph: "ask", input }),
  resume: async () => {
    const { thread_id: id, interrupts } = await asking();
    const answer = { interrupt_id: interrupts[0]?.id, value: "Ann" };
    return bodies(`/threads/${id}/resume`, answer, { ...answer, value: "Bob" });
  },
  stream: starting("/threads/{thread_id}/stream", { graph: "ask", input }),
  createRun: starting("/threads/{thread_id}/runs", later),
  waitForRun: starting("/threads/{thread_id}/runs/wait"),
  streamRun: starting("/threads/{thread_id}/runs/stream"),
  createStatelessRun: starting("/runs", later),
  waitForStatelessRun: starting("/runs/wait"),
  streamStatelessRun: starting("/runs/stream"),
  createRuns: () => bodies("/runs/batch", [later, later], [later]),
  cancelRun: async () => {
    const { thread, run } = await delayed();
    const path = `/threads/${thread}/runs/${run}/cancel`;
    return [{ path }, { path: `${path}?action=rollback` }];
  },
  "cancelRun wait": async () => {
    const { thread, run } = await delayed();
    const path = `/threads/${thread}/runs/${run}/cancel?wait=true`;
    return [{ path }, { path: `${path}&action=rollback` }];
  },
  cancelRuns: async () => {
    const { thread: id } = await delayed();
    return bodies("/runs/cancel", { thread_id: id, status: "all" }, { thread_id: id, status: "pending" });
  },
  updateState: async () => {
    const { thread_id: id } = await asking();
    const edit = (text: string) => ({ values: { log: [text] }, as_node: "ask" });
    return bodies(`/threads/${id}/state`, edit("one"), edit("other"));
  },
  createThread: () => bodies("/threads", { metadata: { n: 1 } }, { metadata: { n: 2 } }),
  "createThread named": () => {
    const named = { thread_id: crypto.randomUUID() };
    return bodies("/threads", named, { ...named, metadata: { n: 2 } });
  },
  "createThread of steps": () => {
    const named = { thread_id: crypto.randomUUID(), metadata: { graph_id: "ask" } };
    const steps = (text: string) => [{ updates: [{ values: { log: [text] }, as_node: "ask" }] }];
    return bodies(
      "/threads",
      { ...named, supersteps: steps("one") },
      { ...named, supersteps: steps("other") },
    );
  },
  pruneThreads: async () => {
    const { thread_id: id } = await asking();
    return bodies(
      "/threads/prune",
      { thread_ids: [id], strategy: "delete" },
      { thread_ids: [id], keep_last: 1 },
    );
  },
  pruneThread: async () => {
    const { thread_id: id } = await asking();
    return bodies(`/threads/${id}/prune`, { strategy: "delete" }, { keep_last: 1 });
  },
  copyThread: async () => {
    const { thread_id: id } = await asking();
    return bodies(`/threads/${id}/copy`, {}, { thread_id: crypto.randomUUID() });
  },
  "copyThread named": async () => {
    const { thread_id: id } = await asking();
    return bodies(`/threads/${id}/copy`, { thread_id: crypto.randomUUID() }, {});
  },
  importThread: async () => {
    const path = `/threads/${crypto.randomUUID()}/import`;
    return [
      { path, bytes: await archive() },
      { path, bytes: await archive() },
    ];
  },
  sendEvent: async () => {
    const { thread_id: id } = await asking();
    return bodies(`/threads/${id}/events/other`, { n: 1 }, { n: 2 });
  },
  createAssistant: () =>
    bodies("/assistants", { graph_id: "ask", name: "one" }, { graph_id: "ask", name: "other" }),
  "createAssistant named": () => {
    const named = { assistant_id: crypto.randomUUID(), graph_id: "ask" };
    return bodies("/assistants", named, { ...named, name: "other" });
  },
  setLatestAssistant: async () =>
    bodies(`/assistants/${await assistant()}/latest`, { version: 1 }, { version: 2 }),
  createThreadCron: async () => {
    const { thread_id: id } = await asking();
    return bodies(`/threads/${id}/runs/crons`, cron, { ...cron, enabled: false });
  },
  createCron: () => bodies("/runs/crons", cron, { ...cron, enabled: false }),
  rebuildDirectory: async () =>
    bodies("/directory/rebuild", { objects: [await objectOf()] }, { objects: [] }),
  answerHook: async () => bodies(`/hooks/${await tokenOf(await asking())}`, "Ann", "Bob"),
};

/** What changes nothing answers whoever asks, under whatever key. */
const READS: ReadonlySet<string> = new Set([
  "searchThreads",
  "countThreads",
  "searchHistory",
  "getStateOf",
  "searchAssistants",
  "countAssistants",
  "listAssistantVersions",
  "searchCrons",
  "countCrons",
  "searchItems",
  "listNamespaces",
  "threadEvents",
]);

/** What says by itself which call it is, in a way of its own: see the tests below. */
const NAMED: ReadonlySet<string> = new Set(["command", "receiveWebhook"]);

const document = JSON.parse(
  await (await wholeApp().request("http://localhost/openapi.json")).text(),
) as OpenApiDocument;
const posts = Object.values(document.paths).flatMap(({ post }) => (post === undefined ? [] : [post]));

beforeAll(() => {
  announcing.isOn = true;
  deploy({ ask });
});

afterAll(() => {
  announcing.isOn = false;
});

async function answered(call: Call, key: string): Promise<readonly [status: number, text: string]> {
  const response = await sent(call, { "idempotency-key": key });
  return [response.status, await response.text()];
}

/** In whatever order its keys come. */
function said([status, text]: readonly [status: number, text: string]): readonly unknown[] {
  return [status, text.startsWith("{") ? JSON.parse(text) : text];
}

describe("a call that comes again under its key", () => {
  it.each(Object.keys(CHANGES))("gets what came of the first one: %s", async (name) => {
    const [first, other] = (await CHANGES[name]?.()) ?? expect.fail();
    const key = crypto.randomUUID();
    const [status, text] = await answered(first, key);
    expect(status, text).toBeLessThan(300);
    expect(said(await answered(first, key))).toEqual(said([status, text]));
    const [refused, reason] = await answered(other, key);
    expect(JSON.parse(reason)).toMatchObject({ error: { code: "idempotency_key_reused" } });
    expect(refused).toBe(422);
    expect(said(await answered(first, key))).toEqual(said([status, text]));
  });

  it("is known on every route that changes something, and the document says so", () => {
    const ids = posts.map(({ operationId }) => operationId);
    const keyed = new Set(Object.keys(CHANGES).map((name) => name.split(" ")[0]));
    expect(ids.filter((id) => !keyed.has(id) && !READS.has(id) && !NAMED.has(id))).toEqual([]);
    const told = posts.filter(({ parameters = [] }) =>
      parameters.some(({ name }) => name === "Idempotency-Key"),
    );
    expect(told.map(({ operationId }) => operationId).toSorted()).toEqual(
      ids.filter((id) => keyed.has(id) || id === "command").toSorted(),
    );
  });
});

async function read<Body>(call: Call, key: string): Promise<Body> {
  return (await json(sent(call, { "idempotency-key": key }))) as Body;
}

/** What is known of all keys in the object that keeps those of the tenant becomes this. */
async function know(kept: object): Promise<void> {
  await new TestThread(".").sql("UPDATE idempotency_keys SET result = ?", JSON.stringify(kept));
}

describe("a key that its tenant keeps", () => {
  it("does nothing a second time, however late the same call comes again, and tells how things are by then", async () => {
    const id = await assistant();
    const path = `/assistants/${id}/latest`;
    const first = { path, body: { version: 1 } };
    expect(await read(first, "latest")).toMatchObject({ version: 1 });
    await made(path, { version: 2 });
    expect(await read(first, "latest")).toMatchObject({ version: 2 });
    expect(await json(request(`/assistants/${id}`))).toMatchObject({ version: 2 });

    const { thread, run } = await delayed();
    const cancel = { path: "/runs/cancel", body: { thread_id: thread, status: "all" } };
    await read(cancel, thread);
    const { run_id: next } = await made<{ run_id: string }>(`/threads/${thread}/runs`, later);
    await read(cancel, thread);
    const told = (of: string) => json(request(`/threads/${thread}/runs/${of}`));
    expect(await told(run)).toMatchObject({ status: "interrupted" });
    expect(await told(next)).toMatchObject({ status: "pending" });
  });

  it("is free again when its call was refused", async () => {
    const { thread_id: id } = await asking();
    const path = `/threads/${id}/copy`;
    expect((await answered({ path, body: { thread_id: id } }, "copy"))[0]).toBe(409);
    expect((await answered({ path, body: {} }, "copy"))[0]).toBe(200);
  });

  it("makes one call of several that come at once", async () => {
    const { thread_id: id } = await asking();
    const copy = { path: `/threads/${id}/copy`, body: { thread_id: crypto.randomUUID() } };
    const copies = await Promise.all(Array.from({ length: 5 }, () => answered(copy, "copy")));
    const statuses = copies.map(([status]) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    for (const [status, text] of copies) {
      if (status === 409) expect(text).toContain("idempotency_key_in_use");
    }
    expect((await answered(copy, "copy"))[0]).toBe(200);
  });

  it("is in use while its call is made, and made again when nothing was heard of that for half a minute", async () => {
    const path = `/assistants/${await assistant()}/latest`;
    const first = { path, body: { version: 1 } };
    await read(first, "k");
    await made(path, { version: 2 });
    await know({ claim: "another", until: Date.now() + 60_000 });
    const response = await sent(first, { "idempotency-key": "k" });
    expect([response.status, response.headers.get("retry-after")]).toEqual([409, "1"]);
    expect(await response.json()).toMatchObject({ error: { code: "idempotency_key_in_use" } });
    const [refused] = await answered({ path, body: { version: 2 } }, "k");
    expect(refused).toBe(422);
    await know({ claim: "another", until: Date.now() - 1 });
    expect(await read(first, "k")).toMatchObject({ version: 1 });
    await made(path, { version: 2 });
    expect(await read(first, "k")).toMatchObject({ version: 2 });
  });

  it("takes what is there for what its call has made only under an id that follows from the key", async () => {
    const { thread_id: id } = await asking();
    const named = { path: `/threads/${id}/copy`, body: { thread_id: crypto.randomUUID() } };
    const unnamed = { path: `/threads/${id}/copy`, body: {} };
    const assistants = [{ graph_id: "ask", assistant_id: crypto.randomUUID() }, { graph_id: "ask" }];
    const calls = [named, unnamed, ...assistants.map((body) => ({ path: "/assistants", body }))];
    const before = [];
    for (const [index, call] of calls.entries()) before.push(await read(call, `${id}-${index}`));
    await know({ claim: "lost", until: 0 });
    const after = [];
    for (const [index, call] of calls.entries()) after.push(said(await answered(call, `${id}-${index}`)));
    const exists = (code: string): unknown =>
      expect.objectContaining({ error: expect.objectContaining({ code }) as unknown });
    expect(after).toEqual([
      [409, exists("thread_exists")],
      [200, before[1]],
      [409, exists("assistant_exists")],
      [200, before[3]],
    ]);
  });

  it("keeps what the first call has come to, and is freed only by the one that has it", async () => {
    const address = { tenant: "", threadId: "." };
    const stub = env.THREAD.get(env.THREAD.idFromName(objectName("", "."))) as unknown as KeysApi;
    const keyed = (claim: string, hash = "00") => ({
      ...address,
      idempotency: { caller: "c", key: crypto.randomUUID(), hash },
      claim,
    });
    const one = keyed("one");
    const two = { ...one, claim: "two" };
    const other = { ...keyed("other", "11"), idempotency: { ...one.idempotency, hash: "11" } };
    const codeOf = async (reply: Promise<Reply<unknown>>): Promise<unknown> => {
      const known = await reply;
      return known.ok ? known.value : known.error.code;
    };
    expect(await codeOf(stub.claimKey(one))).toBe(null);
    // The reply was lost, and the same router asks once more.
    expect(await codeOf(stub.claimKey(one))).toBe(null);
    expect(await codeOf(stub.claimKey(two))).toBe("idempotency_key_in_use");
    await stub.settleKey(two, null);
    expect(await codeOf(stub.claimKey(two))).toBe("idempotency_key_in_use");
    await stub.settleKey(one, null);
    expect(await codeOf(stub.claimKey(other))).toBe(null);
    // The call that had the key before it was freed comes to its end late.
    expect(await codeOf(stub.settleKey(one, "late"))).toBe("idempotency_key_reused");
    await stub.settleKey(other, "first");
    await stub.settleKey({ ...other, claim: "second" }, "second");
    await stub.settleKey(other, null);
    expect(await codeOf(stub.claimKey(other))).toBe("first");
  });

  it("is forgotten after a day", async () => {
    const pruning = { path: "/threads/prune", body: { thread_ids: [] } };
    await read(pruning, "prune");
    const keeper = new TestThread(".");
    await keeper.sql("UPDATE idempotency_keys SET created_at = created_at - 24 * 60 * 60 * 1000");
    expect((await answered({ ...pruning, body: { thread_ids: [], keep_last: 2 } }, "prune"))[0]).toBe(200);
    expect((await keeper.rowCounts())["idempotency_keys"]).toBe(1);
  });

  it("is kept where the log names no thread", async () => {
    await read({ path: "/threads/prune", body: { thread_ids: [] } }, crypto.randomUUID());
    expect(notedText()).toContain('"/threads/prune"');
    expect(recordsOf(".").filter(({ event }) => event === "request")).toEqual([]);
  });

  it("makes no thread of one that is not there", async () => {
    const thread = new TestThread();
    const cancel = { path: `${thread.path}/runs/${crypto.randomUUID()}/cancel` };
    expect((await answered(cancel, "k"))[0]).toBe(404);
    expect(await thread.tables()).toEqual([]);
  });

  it("is its thread's, and its caller's own", async () => {
    const [one, two] = [await asking(), await asking()];
    const prune = ({ thread_id: id }: RunAnswer, keep_last: number) =>
      answered({ path: `/threads/${id}/prune`, body: { keep_last } }, "prune");
    expect((await prune(one, 1))[0]).toBe(204);
    expect((await prune(two, 2))[0]).toBe(204);
    expect((await prune(two, 1))[0]).toBe(422);

    const digest = async (key: string) => {
      const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
      return { hash: toHex(new Uint8Array(bytes)), name: key, tenant: "acme" };
    };
    const keys = await Promise.all(["ann", "bob"].map(digest));
    const runtime = createRuntime({ graphs: { ask }, auth: apiKeys(() => keys) });
    const pruneAs = async (name: string, keep_last: number): Promise<number> => {
      const headers = {
        authorization: `Bearer ${name}`,
        "content-type": "application/json",
        "idempotency-key": "k",
      };
      const body = JSON.stringify({ thread_ids: [], keep_last });
      const call = new Request("https://agents.example.com/threads/prune", { method: "POST", headers, body });
      return (await runtime.fetch(call, env, createExecutionContext())).status;
    };
    expect(await pruneAs("ann", 1)).toBe(200);
    expect(await pruneAs("bob", 2)).toBe(200);
    expect(await pruneAs("ann", 2)).toBe(422);
  });
});

describe("what says by itself which call it is", () => {
  it("is known by it: a command by its key too, which is refused in its answer", async () => {
    const path = `/threads/${crypto.randomUUID()}/commands`;
    const command = (text: string) => ({
      path,
      body: { id: 1, method: "run.start", params: { assistant_id: "ask", input: { log: [text] } } },
    });
    const first = await read<{ result: unknown }>(command("one"), "k");
    expect(first).toMatchObject({ type: "success" });
    expect(await read(command("one"), "k")).toEqual(first);
    expect(await read(command("other"), "k")).toMatchObject({
      type: "error",
      code: "idempotency_key_reused",
    });
  });

  it("is known by it: a webhook by the id of its delivery", async () => {
    const { thread_id: thread } = await asking();
    const bytes = JSON.stringify({ thread, id: "d1", key: "other" });
    const headers = { "content-type": "application/json", ...(await signed["github"]?.(bytes)) };
    const deliver = () => json(request("/webhooks/github", { method: "POST", headers, body: bytes }));
    const receipt = await deliver();
    expect(receipt).toMatchObject({ status: "kept" });
    expect(await deliver()).toEqual(receipt);
  });
});
