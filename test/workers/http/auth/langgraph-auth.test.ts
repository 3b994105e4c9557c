import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PERMISSIONS } from "../../../../src/http/auth/permissions.ts";
import { Annotation, END, START, StateGraph } from "../../../../src/index.ts";
import { langgraphAuth, type LangGraphAuthOptions } from "../../../../src/langgraph-auth.ts";
import { openapi } from "../../../../src/openapi/index.ts";
import type { RuntimeOptions } from "../../../../src/worker.ts";
import { json, type RunAnswer } from "../../../support/threads.ts";
import { announcing } from "../../graphs.ts";
import { crons } from "../../schedules.ts";
import { type Call, codeOf, server } from "./server.ts";

beforeAll(() => {
  announcing.isOn = true;
});
afterAll(() => {
  announcing.isOn = false;
});

/** A request says who makes it by its key, and nothing else is looked at. */
function users(): Auth {
  return new Auth().authenticate((request) => {
    const user = request.headers.get("x-api-key");
    if (user === null) throw new HTTPException(401, { message: "Who is it?", headers: { "x-hint": "key" } });
    return {
      identity: user,
      permissions: user === "ann" ? ["assistants:write"] : [],
      email: `${user}@example.com`,
    };
  });
}

/** Everything belongs to who has made it. */
function owners(): Auth {
  return users()
    .on(["threads", "assistants", "crons"], ({ action, value, user }) => {
      if (action === "create" || action === "update" || action === "create_run") {
        Object.assign(value, { metadata: { ...Reflect.get(value, "metadata"), owner: user.identity } });
      }
      return { owner: user.identity };
    })
    .on("store", ({ user }) => ({ namespace: { $contains: user.identity } }));
}

function serving(auth: Auth, options?: LangGraphAuthOptions, graphs?: RuntimeOptions["graphs"]) {
  const call = server({ auth: langgraphAuth(auth, options), crons, openapi: openapi() }, {}, graphs);
  const as =
    (user: string) =>
    (path: string, request: Call = {}) =>
      call(path, { ...request, headers: { "x-api-key": user, ...request.headers } });
  return { call, ann: as("ann"), bob: as("bob") };
}

const run = { assistant_id: "ask", input: { log: ["in"] } };
const cron = { assistant_id: "ask", schedule: "never", input: { log: ["in"] } };

type User = ReturnType<typeof serving>["ann"];

async function made<Made>(response: Promise<Response>): Promise<Made> {
  return (await json(response)) as Made;
}

async function newThread(user: User, body: object = {}): Promise<string> {
  return (await made<{ thread_id: string }>(user("/threads", { body }))).thread_id;
}

/** Says what it is told of who has started it. */
const who = new StateGraph(Annotation.Root({ said: Annotation<unknown>() }))
  .addNode("who", (_, { configurable = {} }) => ({
    said: {
      user: configurable["langgraph_auth_user"],
      id: configurable["langgraph_auth_user_id"],
      permissions: configurable["langgraph_auth_permissions"],
      tone: configurable["tone"],
    },
  }))
  .addEdge(START, "who")
  .addEdge("who", END)
  .compile();

/** What routes take that want more than an empty body, or a query. */
const BODIES: Readonly<Record<string, unknown>> = {
  "POST /runs": run,
  "POST /runs/wait": run,
  "POST /runs/stream": run,
  "POST /runs/batch": [run],
  "POST /runs/crons": cron,
  "POST /runs/cancel": { status: "all" },
  "POST /assistants": { graph_id: "ask" },
  "POST /assistants/:assistant_id/latest": { version: 1 },
  "PUT /store/items": { namespace: ["a"], key: "k", value: {} },
  "DELETE /store/items": { namespace: ["a"], key: "k" },
  "POST /directory/rebuild": { objects: [] },
  "POST /threads/prune": { thread_ids: ["a"] },
  "POST /threads/:thread_id/invoke": { input: {} },
  "POST /threads/:thread_id/resume": { interrupt_id: "x", value: 1 },
  "POST /threads/:thread_id/stream": { input: {} },
  "POST /threads/:thread_id/runs": run,
  "POST /threads/:thread_id/runs/wait": run,
  "POST /threads/:thread_id/runs/stream": run,
  "POST /threads/:thread_id/runs/crons": cron,
  "POST /threads/:thread_id/commands": { id: 1, method: "state.get", params: {} },
  "POST /threads/:thread_id/stream/events": { channels: ["lifecycle"] },
  "POST /threads/:thread_id/state/checkpoint": { checkpoint: { checkpoint_id: crypto.randomUUID() } },
  "POST /threads/:thread_id/state": { values: { log: ["edited"] } },
};
const COMMANDS = "POST /threads/:thread_id/commands";
const EVENTS = "POST /threads/:thread_id/stream/events";
const QUERIES: Readonly<Record<string, string>> = { "GET /store/items": "?namespace=a&key=k" };

/** A request to a route, about these things. */
function requestTo(
  route: string,
  named: Readonly<Record<string, string>> = {},
): [path: string, request: Call] {
  const [method = "", pattern = ""] = route.split(" ");
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(named[name] ?? "x"));
  const isImport = pattern.endsWith("/import");
  const headers = isImport ? { "content-type": "application/octet-stream" } : {};
  const body = BODIES[route] ?? (method === "GET" ? undefined : {});
  return [`${path}${QUERIES[route] ?? ""}`, { method, headers, ...(body !== undefined && { body }) }];
}

describe("the handlers of an Auth", () => {
  it.for(Object.keys(PERMISSIONS))("are asked about %s, and can refuse it", async (route) => {
    const asked: string[] = [];
    const { ann } = serving(
      users().on("*", ({ event }) => {
        asked.push(event);
        return false;
      }),
      { scopes: () => ["*", "admin:*"] },
    );
    const response = await ann(...requestTo(route));
    expect([response.status, await codeOf(response)], asked.join()).toEqual([403, "forbidden"]);
    expect(asked).toHaveLength(1);
  });

  const ofThreads = Object.keys(PERMISSIONS).filter(
    (route) =>
      route.includes("/threads/:thread_id") && route !== COMMANDS && !route.endsWith("/stream/events"),
  );

  it.for(ofThreads)("keep a thread from others: %s", async (route) => {
    const { ann, bob } = serving(owners());
    const threadId = await newThread(ann);
    const { run_id: runId } = await made<{ run_id: string }>(
      ann(`/threads/${threadId}/invoke`, { body: { input: run.input } }),
    );
    const { cron_id: cronId } = await made<{ cron_id: string }>(
      ann(`/threads/${threadId}/runs/crons`, { body: cron }),
    );
    const before = await ann(`/threads/${threadId}`).then((response) => response.json());
    const [path, request] = requestTo(route, { thread_id: threadId, run_id: runId, cron_id: cronId });
    const response = await bob(path, request);
    const isTaken = route.endsWith("/import");
    expect([response.status, await codeOf(response)]).toEqual(
      isTaken ? [409, "thread_exists"] : [404, "thread_not_found"],
    );
    expect(await json(ann(`/threads/${threadId}`))).toEqual(before);
    expect(await json(ann(`/threads/${threadId}/runs/crons`))).toHaveLength(1);
  });

  it("keep a thread from others who send commands, or listen, before and after it is made", async () => {
    const { ann, bob } = serving(owners());
    const threadId = crypto.randomUUID();
    const named = { thread_id: threadId };
    const early = await bob(...requestTo(EVENTS, named));
    const start = { id: 1, method: "run.start", params: { assistant_id: "ask", input: run.input } };
    const send = (user: User, body: object) => json(user(`/threads/${threadId}/commands`, { body }));
    expect(await send(ann, start)).toMatchObject({ type: "success" });
    const refused = { type: "error" };
    expect(await send(bob, start)).toMatchObject(refused);
    expect(await send(bob, { id: 2, method: "state.get", params: {} })).toMatchObject(refused);
    const late = await bob(...requestTo(EVENTS, named));
    const heard: string[] = [];
    const readers = [early, late].map(({ body }) => body?.pipeThrough(new TextDecoderStream()).getReader());
    const listening = readers.map(async (reader) => {
      for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read())
        heard.push(part.value);
      return "ended";
    });
    const own = await ann(...requestTo(EVENTS, named));
    const { value: first } = (await own.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(first)).toContain("event:");
    // As where there is no such thread: open, and without a word.
    expect(await Promise.race([...listening, scheduler.wait(200)])).toBeUndefined();
    expect(heard.join("")).not.toContain("event:");
    for (const reader of readers) await reader?.cancel();
  });

  it("AUT-01: keep threads from others in searches, counts, lists of questions and pruning", async () => {
    const { ann, bob } = serving(owners());
    const topic = crypto.randomUUID();
    const threadId = await newThread(ann, { metadata: { topic } });
    await json(ann(`/threads/${threadId}/invoke`, { body: { input: run.input } }));
    const found = (user: User) =>
      made<{ thread_id: string }[]>(user("/threads/search", { body: { metadata: { topic } } }));
    const asked = async (user: User) =>
      (await made<{ interrupts: { thread_id: string }[] }>(user("/interrupts?limit=1000"))).interrupts.filter(
        (each) => each.thread_id === threadId,
      );
    await expect.poll(async () => (await asked(ann)).length).toBe(1);
    expect(await found(ann)).toMatchObject([{ thread_id: threadId, metadata: { topic, owner: "ann" } }]);
    expect(await json(ann("/threads/count", { body: { metadata: { topic } } }))).toBe(1);
    expect(await found(bob)).toEqual([]);
    expect(await asked(bob)).toEqual([]);
    expect(await json(bob("/threads/count", { body: { metadata: { topic } } }))).toBe(0);
    const prune = { thread_ids: [threadId], strategy: "delete" };
    expect(await json(bob("/threads/prune", { body: prune }))).toEqual({ pruned_count: 0 });
    expect(await json(ann("/threads/prune", { body: prune }))).toEqual({ pruned_count: 1 });
  });

  it("are asked whether a run may be ended by who only waits for it", async () => {
    const { ann } = serving(users().on("threads:update", () => ({ owner: "ann" })));
    const threadId = await newThread(ann);
    const { run_id: runId } = await made<{ run_id: string }>(ann(`/threads/${threadId}/runs`, { body: run }));
    const join = `/threads/${threadId}/runs/${runId}/join`;
    expect(await json(ann(join))).toMatchObject({ log: ["in"] });
    for (const path of [join, `/threads/${threadId}/runs/${runId}/stream`])
      expect(await codeOf(await ann(`${path}?cancel_on_disconnect=true`))).toBe("thread_not_found");
  });

  it("do not say whether a thread of somebody else is there, but that its id is taken", async () => {
    const { ann, bob } = serving(owners());
    const id = await newThread(ann);
    for (const how of ["raise", "do_nothing"]) {
      const response = await bob("/threads", { body: { thread_id: id, if_exists: how } });
      expect([response.status, await codeOf(response)]).toEqual([409, "thread_exists"]);
    }
    expect(await json(ann("/threads", { body: { thread_id: id, if_exists: "do_nothing" } }))).toMatchObject({
      thread_id: id,
    });
  });

  it("say whose the threads are that runs make, copies and imports too", async () => {
    const { ann, bob } = serving(owners());
    const id = crypto.randomUUID();
    const waited = await ann(`/threads/${id}/runs`, { body: { ...run, metadata: { topic: "tea" } } });
    expect(await waited.json()).toMatchObject({ metadata: { owner: "ann", topic: "tea" } });
    const metadata = { owner: "ann", topic: "tea", graph_id: "ask" };
    expect(await json(ann(`/threads/${id}`))).toMatchObject({ metadata });
    await json(ann(`/threads/${id}/runs/${waited.headers.get("content-location")?.split("/").at(-1)}/join`));
    const copy = await made<{ thread_id: string }>(ann(`/threads/${id}/copy`, { body: {} }));
    expect(await json(ann(`/threads/${copy.thread_id}`))).toMatchObject({ metadata });
    const archive = await (await ann(`/threads/${id}/export`)).arrayBuffer();
    const other = crypto.randomUUID();
    await json(
      bob(`/threads/${other}/import`, {
        method: "POST",
        headers: { "content-type": "application/octet-stream" },
        bytes: archive,
      }),
    );
    expect(await json(bob(`/threads/${other}`))).toMatchObject({ metadata: { ...metadata, owner: "bob" } });
    expect((await ann(`/threads/${other}`)).status).toBe(404);
    const stateless = await ann("/runs", { body: { ...run, on_completion: "keep" } });
    const { thread_id: own } = await stateless.json<{ thread_id: string }>();
    expect((await bob(`/threads/${own}`)).status).toBe(404);
    expect(await json(ann(`/threads/${own}`))).toMatchObject({ metadata: { owner: "ann" } });
  });

  it("keep assistants from others, in versions, graphs and runs too", async () => {
    const { ann, bob } = serving(owners());
    const body = { graph_id: "ask", name: crypto.randomUUID() };
    const { assistant_id: id } = await made<{ assistant_id: string }>(ann("/assistants", { body }));
    const ofAssistant = Object.keys(PERMISSIONS).filter((route) => route.includes("/:assistant_id"));
    for (const route of ofAssistant) {
      const response = await bob(...requestTo(route, { assistant_id: id }));
      expect([route, response.status, await codeOf(response)]).toEqual([route, 404, "assistant_not_found"]);
    }
    const search = { name: body.name };
    expect(await json(bob("/assistants/search", { body: search }))).toEqual([]);
    expect(await json(bob("/assistants/count", { body: search }))).toBe(0);
    expect(await json(ann("/assistants/search", { body: search }))).toMatchObject([
      { metadata: { owner: "ann" } },
    ]);
    const taken = await bob("/assistants", { body: { ...body, assistant_id: id, if_exists: "do_nothing" } });
    expect(await codeOf(taken)).toBe("assistant_exists");
    expect(await codeOf(await bob("/runs/wait", { body: { ...run, assistant_id: id } }))).toBe(
      "assistant_not_found",
    );
    expect((await ann("/runs/wait", { body: { ...run, assistant_id: id } })).status).toBe(200);
    expect((await bob("/runs/wait", { body: run })).status).toBe(200);
  });

  it("keep crons of graphs from others, and say whose the threads of their runs are", async () => {
    const { ann, bob } = serving(owners());
    const { cron_id: id } = await made<{ cron_id: string }>(
      ann("/runs/crons", { body: { ...cron, schedule: "every 50", on_run_completed: "keep" } }),
    );
    const has = async (user: User) =>
      (await made<{ cron_id: string }[]>(user("/runs/crons/search", { body: {} }))).some(
        (each) => each.cron_id === id,
      );
    expect([await has(ann), await has(bob)]).toEqual([true, false]);
    for (const request of [{ method: "PATCH", body: { enabled: false } }, { method: "DELETE" }]) {
      expect(await codeOf(await bob(`/runs/crons/${id}`, request))).toBe("cron_not_found");
    }
    const threads = () => made<object[]>(ann("/threads/search", { body: { metadata: { cron_id: id } } }));
    await expect.poll(async () => (await threads()).length).toBeGreaterThan(0);
    expect((await threads())[0]).toMatchObject({ metadata: { owner: "ann" } });
    expect((await ann(`/runs/crons/${id}`, { method: "DELETE" })).status).toBe(204);
  });

  it("keep items of the store from others", async () => {
    const { ann, bob } = serving(owners());
    const [root, key] = [crypto.randomUUID(), "k"];
    const item = { namespace: [root, "ann"], key };
    const put = (user: User, value: object) =>
      user("/store/items", { method: "PUT", body: { ...item, value } });
    expect((await put(ann, { a: 1 })).status).toBe(204);
    expect(await codeOf(await put(bob, { a: 2 }))).toBe("not_found");
    const others = { ...item, namespace: [root, "nobody"], value: {} };
    expect(await codeOf(await bob("/store/items", { method: "PUT", body: others }))).toBe("forbidden");
    const query = `/store/items?namespace=${root}.ann&key=${key}`;
    expect(await json(ann(query))).toMatchObject({ value: { a: 1 } });
    expect(await codeOf(await bob(query))).toBe("not_found");
    expect(await codeOf(await bob("/store/items", { method: "DELETE", body: item }))).toBe("not_found");
    const search = (user: User) => json(user("/store/items/search", { body: { namespace_prefix: [root] } }));
    expect(await search(ann)).toMatchObject({ items: [{ key }] });
    expect(await search(bob)).toEqual({ items: [] });
    const namespaces = (user: User) => json(user("/store/namespaces", { body: { prefix: [root] } }));
    expect(await namespaces(ann)).toEqual({ namespaces: [[root, "ann"]] });
    expect(await namespaces(bob)).toEqual({ namespaces: [] });
  });

  it("can lead a caller to another place of the store", async () => {
    const { ann, bob } = serving(
      users().on("store", ({ value, user }) => {
        value.namespace = [user.identity, ...(value.namespace ?? [])];
      }),
    );
    const item = { namespace: [crypto.randomUUID()], key: "k" };
    expect((await ann("/store/items", { method: "PUT", body: { ...item, value: { a: 1 } } })).status).toBe(
      204,
    );
    const query = `/store/items?namespace=${item.namespace[0]}&key=k`;
    expect(await json(ann(query))).toMatchObject({ namespace: ["ann", ...item.namespace], value: { a: 1 } });
    expect(await json(bob(query))).toBeNull();
  });

  it("are chosen by event, then resource, then action, and only the first decides", async () => {
    const { ann } = serving(
      users()
        .on("*", () => false)
        .on("*:create", () => false)
        .on("threads", () => false)
        .on("threads:create", () => true)
        .on("*:search", () => true),
    );
    const status = async (path: string, body?: object) =>
      (await ann(path, body === undefined ? {} : { body })).status;
    expect(await status("/threads", {})).toBe(200);
    expect(await status("/threads/search", {})).toBe(403);
    expect(await status("/assistants/search", {})).toBe(200);
    expect(await status("/assistants", { graph_id: "ask" })).toBe(403);
    expect(await status("/assistants/ask")).toBe(403);
  });

  it("find threads by $eq and $contains", async () => {
    const filters: Record<string, object> = {
      equal: { team: { $eq: "blue" } },
      one: { tags: { $contains: "a" } },
      all: { tags: { $contains: ["a", "b"] } },
      missing: { tags: { $contains: ["a", "c"] } },
      kind: { tags: { $eq: "a" } },
    };
    const { call } = serving(
      users().on("threads:read", ({ user }) => filters[user.identity] as { team: string } | undefined),
    );
    const headers = (user: string) => ({ headers: { "x-api-key": user } });
    const body = { metadata: { team: "blue", tags: ["b", "a"] } };
    const { thread_id: id } = await made<{ thread_id: string }>(
      call("/threads", { ...headers("maker"), body }),
    );
    const seen = async (user: string) => (await call(`/threads/${id}`, headers(user))).status;
    expect(await Promise.all(Object.keys(filters).map(seen))).toEqual([200, 200, 200, 404, 404]);
  });

  it.for([[{ owner: undefined }], [{ owner: {} }], [{ owner: { $ne: "x" } }], ["yes"], [[]]])(
    "that answer with %o are faults of the server, and show nothing",
    async ([answer]) => {
      const { ann } = serving(users().on("threads:search", () => answer as unknown as boolean));
      const response = await ann("/threads/search", { body: {} });
      expect([response.status, await codeOf(response)]).toEqual([500, "invalid_auth"]);
    },
  );

  it("refuse with a status and headers of their own, in the form of all errors", async () => {
    const { call, ann } = serving(
      users().on("threads", () => {
        throw new HTTPException(402, { message: "Pay first.", headers: { "x-price": "5" } });
      }),
    );
    const paid = await ann("/threads/x");
    expect([paid.status, paid.headers.get("x-price"), await paid.json()]).toMatchObject([
      402,
      "5",
      { error: { code: "refused", message: "Pay first." } },
    ]);
    const nobody = await call("/threads/x");
    expect([nobody.status, nobody.headers.get("x-hint"), await codeOf(nobody)]).toEqual([
      401,
      "key",
      "unauthenticated",
    ]);
    const studio = await call("/threads/x", { headers: { "x-auth-scheme": "langsmith" } });
    expect(studio.status).toBe(401);
  });

  it.for([
    Object.assign(new Error("secret"), { status: 404, headers: { "x-upstream": "db" }, code: "E" }),
    new HTTPException(503, { message: "secret", headers: { "x-upstream": "db" } }),
  ])(
    "are at fault when they throw anything else than a refusal, and nothing is said of it: %o",
    async (fault) => {
      const reports: unknown[] = [];
      const auth = new Auth().authenticate(() => {
        throw fault;
      });
      const call = server({ auth: langgraphAuth(auth), report: (error) => reports.push(error) });
      const response = await call("/threads/x");
      expect([response.status, response.headers.get("x-upstream")]).toEqual([500, null]);
      expect(await response.text()).not.toContain("secret");
      expect(reports).toEqual([fault]);
    },
  );

  it("refuse where a small Worker has taken the names of classes away", async () => {
    const auth = new Auth().authenticate(() => {
      throw Object.assign(new Error("Who is it?"), { status: 401, headers: {} });
    });
    const response = await server({ auth: langgraphAuth(auth) })("/threads/x");
    expect([response.status, await codeOf(response)]).toEqual([401, "unauthenticated"]);
  });

  it("have those whom they refuse counted by their addresses", async () => {
    const keys: string[] = [];
    const limit = async ({ key }: { readonly key: string }) => ({ success: keys.push(key) === 1 });
    const call = server({ auth: langgraphAuth(users()) }, { RATE_LIMITER: { limit } });
    const headers = { "cf-connecting-ip": "203.0.113.7" };
    const answers = [await call("/threads/x", { headers }), await call("/threads/x", { headers })];
    expect(answers.map(({ status }) => status)).toEqual([401, 429]);
    expect(new Set(keys)).toEqual(new Set(['["address","203.0.113.7"]']));
  });

  it("say to graphs who has started a run, whatever the request says of that", async () => {
    const { ann } = serving(users(), {}, { who });
    const config = {
      configurable: { langgraph_auth_user: { identity: "eve" }, langgraph_auth_user_id: "eve", tone: "dry" },
    };
    const path = `/threads/${crypto.randomUUID()}`;
    const told = await made<RunAnswer>(ann(`${path}/invoke`, { body: { input: {}, config } }));
    expect(told.values["said"]).toEqual({
      user: {
        identity: "ann",
        permissions: ["assistants:write"],
        email: "ann@example.com",
        display_name: "ann",
        is_authenticated: true,
      },
      id: "ann",
      permissions: ["assistants:write"],
      tone: "dry",
    });
  });

  it("AUT-03: say it on every way of starting a run", async () => {
    const { ann } = serving(users(), {}, { who });
    const body = { assistant_id: "who", input: {} };
    const saidOn = async (id: string) =>
      (await made<RunAnswer>(ann(`/threads/${id}/state`))).values["said"] as { id: string } | undefined;
    const startedBy = async (path: string, start: (id: string) => Promise<Response>): Promise<void> => {
      const id = crypto.randomUUID();
      await (await start(id)).text();
      await expect.poll(async () => (await saidOn(id))?.id, { message: path, timeout: 5000 }).toBe("ann");
    };
    for (const path of ["/invoke", "/stream"]) {
      await startedBy(path, (id) => ann(`/threads/${id}${path}`, { body: { graph: "who", input: {} } }));
    }
    for (const path of ["/runs", "/runs/wait", "/runs/stream"]) {
      await startedBy(path, (id) => ann(`/threads/${id}${path}`, { body }));
    }
    const start = { id: 1, method: "run.start", params: body };
    await startedBy("/commands", (id) => ann(`/threads/${id}/commands`, { body: start }));
    const batch = [{ ...body, on_completion: "keep" }];
    const [started] = await made<{ thread_id: string }[]>(ann("/runs/batch", { body: batch }));
    await expect
      .poll(async () => (await saidOn(started?.thread_id ?? ""))?.id, { timeout: 5000 })
      .toBe("ann");
  });

  it("say by which tenant, and with which scopes", async () => {
    const { ann, bob } = serving(users(), {
      tenant: ({ identity }) => identity,
      scopes: ({ permissions }) => (permissions.length > 0 ? ["*"] : ["threads:read"]),
    });
    const id = await newThread(ann);
    expect((await ann(`/threads/${id}`)).status).toBe(200);
    expect((await bob(`/threads/${id}`)).status).toBe(404);
    expect(await codeOf(await bob("/threads", { body: {} }))).toBe("forbidden");
  });

  it("have to say who makes a request", () => {
    expect(() => langgraphAuth(new Auth())).toThrow(expect.objectContaining({ code: "invalid_auth" }));
  });
});
