import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { EncryptedSerializer, MsgpackSerializer } from "../../../src/checkpoint/index.ts";
import { Annotation, END, interrupt, sleep, START, StateGraph } from "../../../src/index.ts";
import { Gate } from "../../support/gate.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { announcing, deploy, deploySerde } from "../graphs.ts";

const State = Annotation.Root({
  topic: Annotation<string>(),
  order: Annotation<object>(),
  mood: Annotation<string>(),
});
const gate = new Gate();

const desk = new StateGraph(State)
  .addNode("work", async ({ topic }) => {
    if (topic === "wait") await gate.pass();
    if (topic === "fail") throw new Error("failed");
    if (topic === "sleep") sleep(3_600_000);
    if (topic === "ask") return { mood: String(interrupt({ question: "x".repeat(2000) })) };
    return {};
  })
  .addEdge(START, "work")
  .addEdge("work", END)
  .compile();

beforeAll(() => {
  announcing.isOn = true;
  deploy({ desk });
  return () => {
    announcing.isOn = false;
  };
});

interface WireThread {
  readonly thread_id: string;
  readonly status: string;
  readonly metadata: Record<string, unknown>;
  readonly values: unknown;
  readonly created_at: string;
  readonly updated_at: string;
  readonly interrupts: Record<string, { id: string }[]>;
}

function post(path: string, body: unknown): Promise<Response> {
  return request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function create(body: Record<string, unknown> = {}): Promise<WireThread> {
  return (await json(post("/threads", body))) as WireThread;
}

async function search(body: Record<string, unknown>): Promise<readonly WireThread[]> {
  return (await json(post("/threads/search", body))) as readonly WireThread[];
}

async function ids(body: Record<string, unknown>): Promise<readonly string[]> {
  return (await search({ sort_by: "thread_id", sort_order: "asc", ...body })).map(
    (thread) => thread.thread_id,
  );
}

/** What the directory says of the thread by itself. */
async function known(id: string): Promise<Partial<WireThread>> {
  const [thread] = await search({ ids: [id], select: ["status", "metadata"] });
  return thread ?? {};
}

/** While it does the work, the objects of the directory cannot read their tables. */
async function withoutDirectory(work: () => Promise<void>): Promise<void> {
  const rename = async (from: string, to: string): Promise<void> => {
    for (const index of [0, 1]) {
      const object = env.DIRECTORY.getByName(JSON.stringify(["", index]));
      await runInDurableObject(object, (_, { storage }) => {
        storage.sql.exec(`ALTER TABLE ${from} RENAME TO ${to}`);
      });
    }
  };
  for (let made = 0; made < 8; made++) await create();
  await rename("threads", "away");
  try {
    await work();
  } finally {
    await rename("away", "threads");
  }
}

describe("a thread that is made before its first run", () => {
  it("is there, has run nothing, and is found by whoever has made it", async () => {
    const tag = crypto.randomUUID();
    const made = await create({ metadata: { tag } });
    expect(made).toMatchObject({ status: "idle", metadata: { tag }, values: null, interrupts: {} });
    expect(await ids({ metadata: { tag } })).toEqual([made.thread_id]);
    const thread = new TestThread(made.thread_id);
    expect(await thread.get("")).toEqual(made);
    expect(await thread.state()).toMatchObject({ values: {}, next: [], tasks: [] });
    expect(await thread.history()).toEqual([]);
    const empty = { status: 409, code: "thread_empty" };
    await expect(thread.invoke({ input: null })).rejects.toMatchObject(empty);
    await expect(thread.resume({ interrupt_id: "x", value: 1 })).rejects.toMatchObject(empty);
    await expect(thread.update({ values: {} })).rejects.toMatchObject(empty);
    await thread.invoke({ input: { topic: "tea" } });
    expect(await thread.get("")).toMatchObject({
      metadata: { tag, graph_id: "desk" },
      values: { topic: "tea" },
    });
  });

  it("begins with a command that writes or goes somewhere, as one that is not there yet, and with no other", async () => {
    const update = { topic: "tea", mood: "calm" };
    const begin = (id: string, command: object) =>
      json(post(`/threads/${id}/runs/wait`, { assistant_id: "desk", command }));
    const { thread_id: made } = await create();
    for (const id of [made, crypto.randomUUID()]) {
      expect(await begin(id, { update, goto: "work" })).toEqual(update);
      expect(await new TestThread(id).get("")).toMatchObject({
        metadata: { graph_id: "desk" },
        status: "idle",
      });
    }
    expect(await begin(crypto.randomUUID(), { update })).toEqual(update);
    expect(await json(post("/runs/wait", { assistant_id: "desk", command: { update } }))).toEqual(update);
    const none = crypto.randomUUID();
    for (const command of [{}, { resume: "x" }, { resume: "x", update }]) {
      await expect(begin(none, command)).rejects.toMatchObject({ code: "thread_not_found" });
      const alone = json(post("/runs/wait", { assistant_id: "desk", command }));
      await expect(alone).rejects.toMatchObject({ code: "empty_input" });
    }
    await expect(new TestThread(none).get("")).rejects.toMatchObject({ code: "thread_not_found" });
  });

  it("has no checkpoint that a run could begin at, which is what the run is told", async () => {
    const { thread_id: id } = await create();
    const unknown = { status: 404, code: "checkpoint_not_found" };
    const checkpointId = "1f1ec012-f7d7-66b0-8002-72e510e816f5";
    const body = { assistant_id: "desk", input: { topic: "tea" } };
    const begin = (place: object) => json(post(`/threads/${id}/runs/wait`, { ...body, ...place }));
    await expect(begin({ checkpoint_id: checkpointId })).rejects.toMatchObject(unknown);
    await expect(begin({ checkpoint: { checkpoint_id: checkpointId } })).rejects.toMatchObject(unknown);
    const thread = new TestThread(id);
    for (const input of [body.input, null])
      await expect(thread.invoke({ input, checkpoint_id: checkpointId })).rejects.toMatchObject(unknown);
    expect(await begin({})).toEqual({ topic: "tea" });
  });

  it("is not made again, unless that is no matter", async () => {
    const { thread_id: id } = await create({ metadata: { n: 1 } });
    await expect(create({ thread_id: id })).rejects.toMatchObject({ status: 409, code: "thread_exists" });
    expect(await create({ thread_id: id, if_exists: "do_nothing", metadata: { n: 2 } })).toMatchObject({
      thread_id: id,
      metadata: { n: 1 },
    });
  });

  it("is made once, and a run without a thread started once, for one key", async () => {
    const call = (path: string, key: string, body: object): Promise<unknown> => {
      const headers = { "content-type": "application/json", "idempotency-key": key };
      return json(request(path, { method: "POST", headers, body: JSON.stringify(body) }));
    };
    const key = crypto.randomUUID();
    const made = (await call("/threads", key, {})) as WireThread;
    expect(await call("/threads", key, {})).toEqual(made);
    expect(await call("/threads", `${key}2`, {})).not.toMatchObject({ thread_id: made.thread_id });
    const body = { input: { topic: "tea" } };
    const run = (await call("/runs", key, body)) as { run_id: string; thread_id: string };
    expect(await call("/runs", key, body)).toMatchObject({ run_id: run.run_id, thread_id: run.thread_id });
    await expect(call("/runs", key, { input: {} })).rejects.toMatchObject({ code: "idempotency_key_reused" });
    const batch = (await call("/runs/batch", key, [body, body])) as { run_id: string }[];
    expect(batch[0]?.run_id).not.toBe(batch[1]?.run_id);
    expect(await call("/runs/batch", key, [body, body])).toMatchObject(
      batch.map(({ run_id }) => ({ run_id })),
    );
  });

  it("is made for none of several runs when one of them is refused, nor undone for a call that came before", async () => {
    const good = { assistant_id: "desk", input: { topic: "tea" } };
    const batch = (last: object, headers: Record<string, string> = {}): Promise<unknown> => {
      const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
      return json(request("/runs/batch", { ...init, body: JSON.stringify([good, last]) }));
    };
    const refusals: [object, string][] = [
      [{ assistant_id: "nope" }, "assistant_not_found"],
      [{ ...good, webhook: "ftp://example.com" }, "invalid_webhook"],
      [{ ...good, input: null }, "empty_input"],
    ];
    const before = await ids({ limit: 1000 });
    for (const [last, code] of refusals) {
      await expect(batch(last)).rejects.toMatchObject({ code });
      await expect(batch(last, { "idempotency-key": crypto.randomUUID() })).rejects.toMatchObject({ code });
    }
    expect(await ids({ limit: 1000 })).toEqual(before);
    const key = { "idempotency-key": crypto.randomUUID() };
    const [first] = (await batch(good, key)) as { run_id: string }[];
    await expect(batch({ ...good, input: {} }, key)).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
    expect(await batch(good, key)).toMatchObject([{ run_id: first?.run_id }, {}]);
    expect((await request(`/runs/${first?.run_id}/join`)).status).toBe(200);
  });

  it("keeps its metadata, key by key, when some of it is replaced", async () => {
    const { thread_id: id, updated_at: before } = await create({ metadata: { a: 1, b: { c: 2 } } });
    const patch = {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: '{"metadata":{"b":3}}',
    };
    const patched = (await json(request(`/threads/${id}`, patch))) as WireThread;
    expect(patched.metadata).toEqual({ a: 1, b: 3 });
    expect(patched.updated_at >= before).toBe(true);
    expect(await known(id)).toEqual({ status: "idle", metadata: { a: 1, b: 3 } });
    await expect(json(request("/threads/nobody", patch))).rejects.toMatchObject({ code: "thread_not_found" });
  });
});

describe("a thread that was made for one run", () => {
  it("goes some time after it, unless it is to be kept", async () => {
    for (const [on_completion, isKept] of [
      ["delete", false],
      ["keep", true],
    ] as const) {
      const body = { input: { topic: "tea" }, on_completion };
      const response = await post("/runs/wait", body);
      expect(await json(response.clone())).toMatchObject({ topic: "tea" });
      const [, , id = ""] = response.headers.get("content-location")?.split("/") ?? [];
      const thread = new TestThread(id);
      await expect.poll(() => thread.timerKinds()).toEqual(isKept ? [] : ["removal"]);
      await thread.inside(({ storage }) => {
        storage.sql.exec("UPDATE timers SET due = 1");
        return storage.setAlarm(1);
      });
      await thread.fireAlarm();
      const read = thread.state();
      await (isKept
        ? expect(read).resolves.toBeDefined()
        : expect(read).rejects.toMatchObject({ status: 404 }));
    }
  });
});

/** A thread that was made for one run, some time after it. */
async function temporary(body: object, headers: Record<string, string> = {}): Promise<TestThread> {
  const response = await request("/runs/wait", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ assistant_id: "desk", ...body }),
  });
  await json(response.clone());
  const [, , id = ""] = response.headers.get("content-location")?.split("/") ?? [];
  const thread = new TestThread(id);
  await later(thread);
  return thread;
}

/** The time of the removal has come. */
async function later(thread: TestThread): Promise<void> {
  await thread.inside(({ storage }) => {
    storage.sql.exec("UPDATE timers SET due = 1 WHERE kind = 'removal'");
    return storage.setAlarm(1);
  });
  await thread.fireAlarm();
}

/** In how many minutes the thread is looked at again. */
async function removalIn(thread: TestThread): Promise<number> {
  const [row] = await thread.sql<{ due: number }>("SELECT due FROM timers WHERE kind = 'removal'");
  return Math.round(((row?.due ?? 0) - Date.now()) / 60_000);
}

describe("a thread that was made for one run, and of which something is to come,", () => {
  const DAY = 24 * 60;
  const gone = { status: 404, code: "thread_not_found" };

  it("stays while it waits for a time, or a message to be sent", async () => {
    const sleeping = await temporary({ input: { topic: "sleep" } });
    expect(await removalIn(sleeping)).toBe(5);
    expect(await sleeping.state()).toMatchObject({ next: ["work"] });
    const webhook = "http://receiver/down";
    const telling = await temporary({ input: { topic: "tea" }, webhook });
    expect(await removalIn(telling)).toBe(5);
    await telling.sql("DELETE FROM timers WHERE kind = 'delivery'");
    await later(telling);
    await expect(telling.state()).rejects.toMatchObject(gone);
  });

  it("stays for a day with a question, or a key that leads to its run", async () => {
    const asking = await temporary({ input: { topic: "ask" } });
    expect(await removalIn(asking)).toBe(DAY);
    await asking.sql("UPDATE runs SET created_at = 1, ended_at = 1");
    await later(asking);
    await expect(asking.state()).rejects.toMatchObject(gone);

    const key = { "idempotency-key": crypto.randomUUID() };
    const body = { input: { topic: "tea" } };
    const keyed = await temporary(body, key);
    expect(await removalIn(keyed)).toBe(DAY);
    expect((await temporary(body, key)).id).toBe(keyed.id);
    expect(await keyed.get("/runs")).toHaveLength(1);
    await keyed.sql("UPDATE idempotency_keys SET created_at = 1");
    await later(keyed);
    await expect(keyed.state()).rejects.toMatchObject(gone);
  });
});

describe("what a thread is bound to", () => {
  const patch = (path: string, metadata: object): Promise<unknown> =>
    json(
      request(path, {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ metadata }),
      }),
    );

  it("is in its metadata, whatever its owner says, and what a run has named with the run", async () => {
    const assistant = (await json(post("/assistants", { graph_id: "desk" }))) as { assistant_id: string };
    const own = (await json(request("/assistants/desk"))) as { assistant_id: string };
    for (const [named, expected] of [
      ["desk", own.assistant_id],
      [assistant.assistant_id, assistant.assistant_id],
    ] as const) {
      const { thread_id: id } = await create({ metadata: { graph_id: "other", assistant_id: 5, n: 1 } });
      const body = { assistant_id: named, input: { topic: "tea" } };
      const run = await json(post(`/threads/${id}/runs`, body));
      expect(run).toMatchObject({ assistant_id: expected });
      const bound = { graph_id: "desk", assistant_id: expected };
      expect(await new TestThread(id).get("")).toMatchObject({ metadata: { ...bound, n: 1 } });
      expect(await patch(`/threads/${id}`, { graph_id: "x", assistant_id: "y", n: 2 })).toMatchObject({
        metadata: { ...bound, n: 2 },
      });
    }
  });

  it("does not grow by patches without an end: neither threads nor assistants", async () => {
    const { thread_id: id } = await create({ metadata: { a: "x".repeat(9000) } });
    const { assistant_id: assistant } = (await json(
      post("/assistants", { graph_id: "desk", metadata: { a: "x".repeat(40_000) } }),
    )) as { assistant_id: string };
    for (const [path, size, limit] of [
      [`/threads/${id}`, 9000, 16_384],
      [`/assistants/${assistant}`, 40_000, 65_536],
    ] as const) {
      const larger = patch(path, { b: "x".repeat(size) });
      await expect(larger).rejects.toMatchObject({
        status: 413,
        code: "value_too_large",
        details: { limit },
      });
      expect(await patch(path, { a: "y".repeat(size) })).toMatchObject({ metadata: { a: "y".repeat(size) } });
    }
  });
});

describe("the directory", () => {
  it("hears of what becomes of a thread", async () => {
    const thread = new TestThread();
    const paused = await thread.invoke({ input: { topic: "ask" } });
    await expect.poll(() => known(thread.id)).toMatchObject({ status: "interrupted" });
    const listed = (await json(request("/interrupts?limit=1000"))) as { interrupts: { thread_id: string }[] };
    const question = expect.stringMatching(/^\{"question":"x{900,990}…$/);
    expect(listed.interrupts.filter((each) => each.thread_id === thread.id)).toMatchObject([
      { interrupt_id: paused.interrupts[0]?.id, value: question },
    ]);
    expect((await search({ ids: [thread.id] }))[0]?.interrupts).not.toEqual({});

    await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "fine" });
    await expect.poll(() => known(thread.id)).toMatchObject({ status: "idle" });
    await expect(thread.invoke({ input: { topic: "fail" } })).rejects.toThrow("failed");
    await expect.poll(() => known(thread.id)).toMatchObject({ status: "error" });
    await thread.update({ values: { topic: "mended" }, as_node: "work" });
    await expect.poll(() => known(thread.id)).toMatchObject({ status: "idle" });
    const waiting = thread.invoke({ input: { topic: "wait" } });
    await gate.reached();
    await expect.poll(() => known(thread.id), { timeout: 5000 }).toMatchObject({ status: "busy" });
    gate.open();
    await waiting;
    await thread.delete();
    expect(await known(thread.id)).toEqual({});
  });

  it("hears of it although the object ends before it could tell", async () => {
    const thread = new TestThread();
    announcing.isOn = false;
    await thread.invoke({ input: { topic: "tea" } });
    await thread.evict();
    announcing.isOn = true;
    expect(await known(thread.id)).toEqual({});
    // As the object leaves it that is stopped between its commit and the call.
    await thread.inside(({ storage }) => {
      storage.sql.exec("INSERT INTO timers (kind, id, due) VALUES ('announcement', '', 1)");
      return storage.setAlarm(1);
    });
    await thread.fireAlarm();
    expect(await known(thread.id)).toMatchObject({ status: "idle" });
    expect(await thread.alarm()).toBeNull();
  });

  it("hears nothing of an edit that was refused, and nothing when it is bound no longer", async () => {
    const thread = new TestThread();
    await thread.invoke({ input: { topic: "tea" } });
    await expect.poll(() => thread.timerKinds(), { timeout: 5000 }).toEqual([]);
    const refused = thread.update({ values: { topic: "x" }, as_node: "nobody" });
    await expect(refused).rejects.toMatchObject({ status: 400 });
    await expect.poll(() => thread.timerKinds(), { timeout: 5000 }).toEqual([]);

    await thread.evict();
    announcing.isOn = false;
    await thread.inside(({ storage }) => {
      storage.sql.exec("INSERT INTO timers (kind, id, due) VALUES ('announcement', '', 1)");
      return storage.setAlarm(1);
    });
    await thread.fireAlarm();
    expect(await thread.timerKinds()).toEqual([]);
    announcing.isOn = true;
  });

  it("that fails is told again and again, each time after twice as long", async () => {
    const thread = new TestThread();
    await thread.invoke({ input: { topic: "tea" } });
    await expect.poll(() => thread.timerKinds(), { timeout: 5000 }).toEqual([]);
    await withoutDirectory(async () => {
      for (const [quiet, delay] of [
        [0, 0.5],
        [7, 7],
        [600, 60],
      ] as const) {
        await thread.inside(({ storage }) => {
          storage.sql.exec("UPDATE thread SET version = ?", Date.now() - quiet * 60_000);
          storage.sql.exec("INSERT OR REPLACE INTO timers (kind, id, due) VALUES ('announcement', '', 1)");
          return storage.setAlarm(1);
        });
        await thread.fireAlarm();
        const [row] = await thread.sql<{ due: number }>("SELECT due FROM timers WHERE kind = 'announcement'");
        expect(((row?.due ?? 0) - Date.now()) / 60_000).toBeCloseTo(delay, 0);
      }
    });
  });

  it("keeps nobody from a thread while it does not answer, and says so to whoever asks it", async () => {
    const { thread_id: id } = await create();
    await withoutDirectory(async () => {
      const made = await create({ metadata: { n: 1 } });
      expect(await create({ thread_id: made.thread_id, if_exists: "do_nothing" })).toEqual(made);
      const headers = { "content-type": "application/json" };
      const patched = request(`/threads/${id}`, { method: "PATCH", headers, body: '{"metadata":{"n":2}}' });
      expect(await json(patched)).toMatchObject({ metadata: { n: 2 } });
      const asked = [post("/threads/search", {}), post("/threads/count", {}), request("/interrupts")];
      for (const each of asked) {
        await expect(json(each)).rejects.toMatchObject({ status: 503, code: "directory_unavailable" });
      }
      expect(await new TestThread(id).timerKinds()).toEqual(["announcement"]);
    });
    await new TestThread(id).fireAlarm();
    expect(await known(id)).toEqual({ status: "idle", metadata: { n: 2 } });
  });

  it("is told no values where these are encrypted", async () => {
    deploySerde(() => new EncryptedSerializer({ current: "a", keys: { a: new Uint8Array(32) } }));
    const thread = new TestThread();
    const topic = "ask";
    const order = { id: crypto.randomUUID() };
    const paused = await thread.invoke({ input: { topic, order } });
    await expect.poll(() => known(thread.id)).toMatchObject({ status: "interrupted" });
    expect(await ids({ values: { order } })).toEqual([]);
    const listed = (await json(request("/interrupts?limit=1000"))) as { interrupts: { thread_id: string }[] };
    expect(listed.interrupts.filter((each) => each.thread_id === thread.id)).toMatchObject([
      { interrupt_id: paused.interrupts[0]?.id, value: null },
    ]);
    deploySerde(new MsgpackSerializer());
  });

  it("finds threads by the values that it knows, and refuses to look for others", async () => {
    const id = crypto.randomUUID();
    const thread = new TestThread();
    await thread.invoke({ input: { topic: "tea", order: { id, secret: 1 }, mood: "fine" } });
    await expect.poll(() => ids({ values: { order: { id } } })).toEqual([thread.id]);
    expect(await ids({ values: { order: { id }, topic: "coffee" } })).toEqual([]);
    expect(await json(post("/threads/count", { values: { order: { id } } }))).toBe(1);
    for (const values of [{ mood: "fine" }, { order: { secret: 1 } }, { order: {} }]) {
      await expect(search({ values })).rejects.toMatchObject({ status: 400, code: "invalid_request" });
    }
  });

  it("finds threads by many keys at once", async () => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`key${n}`, crypto.randomUUID()]));
    const { thread_id: id } = await create({ metadata: many });
    expect(await ids({ metadata: many })).toEqual([id]);
    expect(await json(post("/threads/count", { metadata: many }))).toBe(1);
    expect(await ids({ metadata: { ...many, key119: "other" } })).toEqual([]);
  });

  it("shows what it knows of a thread that cannot be read", async () => {
    const tag = crypto.randomUUID();
    const { thread_id: id } = await create({ metadata: { tag } });
    const thread = new TestThread(id);
    await thread.invoke({ input: { topic: "tea" } });
    await create({ metadata: { tag } });
    await thread.inside(({ storage }) =>
      storage.sql.exec("UPDATE checkpoints SET body = x'c1', type = 'msgpack'"),
    );
    await thread.evict();
    const found = await search({ metadata: { tag } });
    expect(found).toHaveLength(2);
    expect(found.find((each) => each.thread_id === id)).toMatchObject({
      values: null,
      error: { code: "undecodable" },
    });
  });

  it("copies a thread once for one key", async () => {
    const { thread_id: id } = await create();
    await new TestThread(id).invoke({ input: { topic: "tea" } });
    const copy = async () => {
      const headers = { "content-type": "application/json", "idempotency-key": "copy" };
      const answer = await json(request(`/threads/${id}/copy`, { method: "POST", headers, body: "{}" }));
      return answer as WireThread;
    };
    const { thread_id: made } = await copy();
    expect(await copy()).toMatchObject({ thread_id: made, values: { topic: "tea" } });
  });

  it("gives pages, with what follows and how many there are", async () => {
    const tag = crypto.randomUUID();
    for (const id of ["a", "b", "c"]) await create({ thread_id: `${id}-${tag}`, metadata: { tag } });
    const page = (offset: number, limit: number) =>
      post("/threads/search", { metadata: { tag }, sort_by: "thread_id", sort_order: "desc", offset, limit });
    const first = await page(0, 2);
    expect(((await json(first.clone())) as WireThread[]).map((thread) => thread.thread_id[0])).toEqual([
      "c",
      "b",
    ]);
    expect([first.headers.get("x-pagination-next"), first.headers.get("x-pagination-total")]).toEqual([
      "2",
      "3",
    ]);
    const last = await page(2, 2);
    expect(((await json(last.clone())) as WireThread[]).map((thread) => thread.thread_id[0])).toEqual(["a"]);
    expect(last.headers.get("x-pagination-next")).toBeNull();
  });

  it("shows parts of threads under the names that are given to them", async () => {
    const metadata = { tag: crypto.randomUUID(), "a b": [{ c: 1 }, { c: 2 }] };
    const { thread_id: id } = await create({ metadata });
    await new TestThread(id).invoke({ input: { topic: "tea" } });
    const extract = {
      topic: "values.topic",
      last: "metadata.a b[-1].c",
      first: "metadata.a b[0]",
      beyond: "metadata.a b[2].c",
      inherited: "values.constructor",
      letter: "values.topic[0]",
    };
    const extracted = { topic: "tea", last: 2, first: { c: 1 }, beyond: null, inherited: null, letter: null };
    const found = { metadata: { tag: metadata.tag }, extract };
    expect(await search({ ...found, select: ["thread_id"] })).toEqual([{ thread_id: id, extracted }]);
    expect(await search(found)).toMatchObject([{ thread_id: id, status: "idle", extracted }]);
  });

  it.for([
    { limit: 0 },
    { limit: 1001 },
    { extract: { a: "secret" } },
    { extract: { a: "values[x]" } },
    { extract: Object.fromEntries(Array.from({ length: 11 }, (_, index) => [index, "values"])) },
    { offset: -1 },
    { offset: 10_001 },
    { status: "asleep" },
    { sort_by: "mood" },
    { metadata: [] },
    { select: ["secret"] },
    { nonsense: 1 },
  ])("refuses a search with %o", async (body) => {
    await expect(search(body)).rejects.toMatchObject({ status: 400, code: "invalid_request" });
  });

  it("refuses cursors that it has not given, and metadata that is too large", async () => {
    for (const after of ["", "x", "bnVsbA==", "WzEsMiwzXQ=="]) {
      const page = request(`/interrupts?after=${encodeURIComponent(after)}`);
      await expect(json(page)).rejects.toMatchObject({ status: 400, code: "invalid_request" });
    }
    const large = create({ metadata: { a: "x".repeat(17_000) } });
    await expect(large).rejects.toMatchObject({ status: 400, code: "invalid_request" });
  });
});
