import { Auth } from "@langchain/langgraph-sdk/auth";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectName } from "../../../../src/http/object-name.ts";
import { END, START, StateGraph } from "../../../../src/index.ts";
import { langgraphAuth } from "../../../../src/langgraph-auth.ts";
import { LazyTables } from "../../../../src/storage/lazy-tables.ts";
import { lazyTables } from "../../../../src/thread/migrations.ts";
import { Gate } from "../../../support/gate.ts";
import { Log } from "../../../support/log.ts";
import { json } from "../../../support/threads.ts";
import { announcing } from "../../graphs.ts";
import { type Call, codeOf, server } from "./server.ts";

beforeAll(() => {
  announcing.isOn = true;
});
afterAll(() => {
  announcing.isOn = false;
});

const graph = new StateGraph(Log)
  .addNode("work", () => ({ log: ["done"] }))
  .addEdge(START, "work")
  .addEdge("work", END)
  .compile();

/** Everyone sees what they have made, of a tenant that they share. */
class Shared {
  readonly tenant = crypto.randomUUID();
  /** What nobody may do any more with what there is. */
  readonly withdrawn = new Set<string>();
  /** What handlers are asked waits here. */
  gateOf: (event: string) => Gate | undefined = () => undefined;
  readonly #call: ReturnType<typeof server>;

  constructor() {
    const auth = new Auth()
      .authenticate(({ headers }) => ({ identity: headers.get("x-api-key") ?? "", permissions: [] }))
      .on("*", async ({ value, user: { identity: owner }, event }) => {
        await this.gateOf(event)?.pass();
        if (/create/.test(event)) Object.assign(value, { metadata: { owner } });
        return { owner: this.withdrawn.has(event) ? "nobody" : owner };
      });
    this.#call = server({ auth: langgraphAuth(auth, { tenant: () => this.tenant }) }, {}, { graph });
  }

  as(caller: string, path: string, { key, ...call }: Call & { readonly key?: string } = {}) {
    const headers = { "x-api-key": caller, ...(key !== undefined && { "idempotency-key": key }) };
    return this.#call(path, { ...call, headers });
  }

  /** A thread that somebody has told something. */
  async told(caller: string, log: readonly string[]): Promise<string> {
    const id = crypto.randomUUID();
    await json(this.as(caller, `/threads/${id}/invoke`, { body: { input: { log } } }));
    return id;
  }

  /** What is stored under keys in the object that goes by the name. */
  keys(id: string): Promise<readonly Record<string, unknown>[]> {
    const stub = env.THREAD.get(env.THREAD.idFromName(objectName(this.tenant, id)));
    return runInDurableObject(stub, (_, { storage }) =>
      new LazyTables(storage.sql, lazyTables).of("idempotency_keys").all("SELECT * FROM idempotency_keys"),
    );
  }
}

/** Two calls at once, and a third: what each was refused with. */
async function thrice(call: () => Promise<Response>): Promise<readonly string[]> {
  const answers = [...(await Promise.all([call(), call()])), await call()];
  return Promise.all(answers.map(codeOf));
}

/** What they were refused with, besides that another call goes on. */
function refusals(codes: readonly string[]): readonly string[] {
  return [...new Set(codes)].filter((code) => code !== "idempotency_key_in_use");
}

describe("what somebody else has", () => {
  it("is not given to who copies onto it, however often and under what key", async () => {
    const shared = new Shared();
    const theirs = await shared.told("ann", ["secret"]);
    const mine = await shared.told("bob", ["mine"]);
    const codes = await thrice(() =>
      shared.as("bob", `/threads/${mine}/copy`, { key: "k", body: { thread_id: theirs } }),
    );
    expect(refusals(codes)).toEqual(["thread_exists"]);
    expect(codes[2]).toBe("thread_exists");
  });

  it("is not given to who makes an assistant of its id", async () => {
    const shared = new Shared();
    const named = { assistant_id: crypto.randomUUID(), graph_id: "graph" };
    await json(shared.as("ann", "/assistants", { body: { ...named, context: { token: "secret" } } }));
    for (const caller of ["bob", "ann"]) {
      const codes = await thrice(() => shared.as(caller, "/assistants", { key: "k", body: named }));
      expect(refusals(codes)).toEqual(["assistant_exists"]);
      expect(codes[2]).toBe("assistant_exists");
    }
  });

  it("is not written by who may not see it, nor by who copies it, so that an export under way goes on", async () => {
    const shared = new Shared();
    const id = await shared.told(
      "ann",
      Array.from({ length: 8 }, (_, index) => String(index).repeat(1_000_000)),
    );
    const response = await shared.as("ann", `/threads/${id}/export`);
    const reader = response.body?.getReader() ?? expect.fail();
    await reader.read();
    const copy = (caller: string) => shared.as(caller, `/threads/${id}/copy`, { key: "k", body: {} });
    expect((await copy("bob")).status).toBe(404);
    expect((await copy("ann")).status).toBe(200);
    let size = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) size += part.value.length;
    expect(size).toBeGreaterThan(1_000);
    expect(await shared.keys(id)).toEqual([]);
  });
});

describe("a call that comes again", () => {
  it("is not made while the first one is, nor after it, whatever came in between", async () => {
    const shared = new Shared();
    const { thread_id: id } = (await json(shared.as("ann", "/threads", { body: {} }))) as {
      thread_id: string;
    };
    const start = async (): Promise<string> => {
      const body = { assistant_id: "graph", input: { log: [] }, after_seconds: 3600 };
      return ((await json(shared.as("ann", `/threads/${id}/runs`, { body }))) as { run_id: string }).run_id;
    };
    const statusOf = async (run: string): Promise<unknown> =>
      ((await json(shared.as("ann", `/threads/${id}/runs/${run}`))) as { status: string }).status;
    const cancel = () =>
      shared.as("ann", "/runs/cancel", { key: "k", body: { thread_id: id, status: "all" } });
    const first = await start();
    const gates = [new Gate(), new Gate()];
    const waiting = [...gates];
    shared.gateOf = (event) => (event === "threads:update" ? waiting.shift() : undefined);
    const calls = [cancel(), cancel()];
    for (const gate of gates) await gate.reached();
    gates[0]?.open();
    expect((await Promise.race(calls)).status).toBe(204);
    const next = await start();
    gates[1]?.open();
    for (const call of calls) expect((await call).status).toBe(204);
    expect([await statusOf(first), await statusOf(next)]).toEqual(["interrupted", "pending"]);
  });

  it("gets nothing of a thread that it has made and that is somebody else's by now", async () => {
    const shared = new Shared();
    const thread_id = crypto.randomUUID();
    const make = () => shared.as("ann", "/threads", { key: "k", body: { thread_id } });
    const made = await json(make());
    expect(await json(make())).toEqual(made);
    const given = { method: "PATCH", body: { metadata: { owner: "bob" } } };
    await json(shared.as("ann", `/threads/${thread_id}`, given));
    expect(await codeOf(await make())).toBe("thread_exists");
  });

  it("is answered for the page that it comes from", async () => {
    const pages = ["https://a.example", "https://b.example"];
    const principal = { tenant: crypto.randomUUID(), caller: "ann", scopes: ["*"] };
    const call = server({ auth: () => principal, origins: pages }, {}, { graph });
    const assistant_id = crypto.randomUUID();
    const make = (origin: string) =>
      call("/assistants", {
        headers: { origin, "idempotency-key": assistant_id },
        body: { assistant_id, graph_id: "graph" },
      });
    const answers = [];
    for (const page of [...pages, "https://c.example"]) answers.push(await make(page));
    const allowed = answers.map(({ headers }) => headers.get("access-control-allow-origin"));
    expect(allowed).toEqual([...pages, null]);
  });

  it("gets nothing that the caller may not have any more, and nothing that was removed", async () => {
    const shared = new Shared();
    const id = await shared.told("ann", ["secret"]);
    const thread_id = crypto.randomUUID();
    const copy = () => shared.as("ann", `/threads/${id}/copy`, { key: "k", body: { thread_id } });
    const copied = await json(copy());
    expect(await json(copy())).toEqual(copied);
    const assistant_id = crypto.randomUUID();
    const named = { assistant_id, graph_id: "graph", context: { token: "secret" } };
    const make = () => shared.as("ann", "/assistants", { key: "k", body: named });
    const made = await json(make());
    expect(await json(make())).toEqual(made);
    for (const event of ["threads:read", "assistants:read"]) shared.withdrawn.add(event);
    const gone = ["thread_not_found", "assistant_not_found"];
    expect([await codeOf(await copy()), await codeOf(await make())]).toEqual(gone);
    shared.withdrawn.clear();
    expect([await json(copy()), await json(make())]).toEqual([copied, made]);
    for (const path of [`/threads/${thread_id}`, `/assistants/${assistant_id}`]) {
      expect((await shared.as("ann", path, { method: "DELETE" })).status).toBe(204);
    }
    expect([await codeOf(await copy()), await codeOf(await make())]).toEqual(gone);
    const kept = await shared.keys(".");
    expect(kept.map(({ result }) => result)).toEqual(['{"answer":"200"}', '{"answer":"200"}']);
  });
});
