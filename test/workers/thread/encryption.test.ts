import { createHash } from "node:crypto";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { EncryptedSerializer, MsgpackSerializer } from "../../../src/checkpoint/index.ts";
import { Annotation, interrupt, START, StateGraph } from "../../../src/index.ts";
import { stableText } from "../../../src/pregel/stable-text.ts";
import { holdBucket } from "../../support/bucket.ts";
import { until } from "../../support/gate.ts";
import { reports } from "../../support/reports.ts";
import { json, request, type RunAnswer, TestThread } from "../../support/threads.ts";
import { deploy, deploySerde } from "../graphs.ts";

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const withKey = (current: string, keys: Record<string, Uint8Array>, readsPlain = false) =>
  new EncryptedSerializer({ current, keys, readsPlain });

const SECRET = "xyzzy-";
const large = `${SECRET}document `.repeat(10_000);

/** Of the document. */
const sha256 = createHash("sha256").update(large).digest("hex");

const State = Annotation.Root({
  said: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
  document: Annotation<string>(),
  bytes: Annotation<Uint8Array>(),
});

/** Says secrets wherever a graph can: in state, large and small, in a question, in an error. */
const desk = new StateGraph(State)
  .addNode("read", ({ document }) => ({
    said: [`${SECRET}said`],
    bytes: new TextEncoder().encode(document).fill(0, 0, 100),
  }))
  .addNode("ask", ({ said }) => ({ said: [interrupt<string, string>(`${SECRET}question ${said.length}`)] }))
  .addNode("fail", ({ said }) => {
    if (said.includes("fail")) throw new Error(`${SECRET}error`);
    return {};
  })
  .addEdge(START, "read")
  .addEdge("read", "ask")
  .addEdge("ask", "fail")
  .compile();

/** Where the secret is found among all that is stored of a thread. */
async function places(thread: TestThread): Promise<string[]> {
  const found: string[] = [];
  for (const table of await thread.tables()) {
    for (const row of await thread.sql(`SELECT * FROM ${table}`)) {
      for (const [column, cell] of Object.entries(row))
        if (holdsSecret(cell)) found.push(`${table}.${column}`);
    }
  }
  for (const name of await thread.objects()) {
    const object = await env.BLOBS.get(name);
    if (holdsSecret((await object?.arrayBuffer()) ?? null)) found.push("bucket");
  }
  return Array.from(new Set(found)).toSorted();
}

function holdsSecret(cell: SqlStorageValue): boolean {
  const text = cell instanceof ArrayBuffer ? new TextDecoder("latin1").decode(cell) : String(cell);
  return text.includes(SECRET);
}

/** One thread through all that a thread can go through. Nothing of it may depend on what is kept in memory. */
async function live(thread: TestThread): Promise<void> {
  const input = { said: [`${SECRET}input`], document: large };
  const context = { user: `${SECRET}context` };
  const config = { configurable: { token: `${SECRET}token` }, metadata: { note: `${SECRET}note` } };
  const asked = await thread.invoke({ input, context, config });
  expect(asked.interrupts[0]?.value).toBe(`${SECRET}question 2`);
  await thread.evict();
  const answer = { interrupt_id: asked.interrupts[0]?.id, value: `${SECRET}answer` };
  const answered = await thread.resume(answer);
  expect(answered.values["said"]).toEqual([`${SECRET}input`, `${SECRET}said`, `${SECRET}answer`]);
  expect(answered.values["document"]).toBe(large);
  await thread.evict();
  expect((await thread.state()).values).toEqual(answered.values);
  expect(await thread.history()).toHaveLength(5);
  await thread.update({ values: { said: [`${SECRET}edit`] } });
}

afterEach(() => {
  deploySerde(new MsgpackSerializer());
  holdBucket();
});

describe("a thread whose serializer encrypts", () => {
  it("is told from one that does not: the search finds what there is to be found", async () => {
    deploy({ desk });
    const thread = new TestThread();
    await live(thread);
    expect(await places(thread)).toEqual([
      "bucket",
      "checkpoints.body",
      "checkpoints.metadata",
      "runs.outcome",
      "runs.request",
      "writes.body",
    ]);
    expect((await thread.objects()).some((name) => name.includes(sha256))).toBe(true);
  });

  it("stores nothing in plain text: not in its tables, not in the bucket", async () => {
    deploySerde(withKey("a", { a: key(1) }));
    deploy({ desk });
    const thread = new TestThread();
    await live(thread);
    expect(await places(thread)).toEqual([]);
    // What a run and a step are called is in columns, so that listings can be filtered by it.
    const types = "SELECT DISTINCT type, coalesce(metadata_type, type) AS metadata_type FROM checkpoints";
    expect(await thread.sql(types)).toEqual([{ type: "encrypted", metadata_type: "encrypted" }]);
    expect(await thread.objects()).toHaveLength(2);
    expect((await thread.objects()).some((name) => name.includes(sha256))).toBe(false);
  });

  it("encrypts the context of a run that has not ended, and what stopped it", async () => {
    deploySerde(withKey("a", { a: key(1) }));
    const big = new StateGraph(State)
      .addNode("big", () => ({ document: large }))
      .addEdge(START, "big")
      .compile();
    deploy({ big });
    const thread = new TestThread();
    let isDown = true;
    holdBucket(() => (isDown ? Promise.reject(new Error("outage")) : undefined));
    const answer = thread.invoke({ input: { said: [] }, context: { user: `${SECRET}context` } });
    const stopped = "SELECT fault_type, fault FROM runs WHERE fault IS NOT NULL AND context IS NOT NULL";
    await thread.hasRuns(1);
    await until(async () => (await thread.sql(stopped)).length === 1);
    expect(await thread.sql("SELECT fault_type, context_type FROM runs")).toEqual([
      { fault_type: "encrypted", context_type: "encrypted" },
    ]);
    expect(await places(thread)).toEqual([]);
    isDown = false;
    await thread.fireAlarm();
    expect((await answer).values["document"]).toBe(large);
    expect(await thread.sql("SELECT fault, context FROM runs")).toEqual([{ fault: null, context: null }]);
  });

  it("goes on after the key was changed, and says which key is missing", async () => {
    deploySerde(withKey("a", { a: key(1) }));
    deploy({ desk });
    const thread = new TestThread();
    const asked = await thread.invoke({ input: { said: [], document: large } });
    await thread.evict();

    deploySerde(withKey("b", { b: key(2) }));
    await expect(thread.state()).rejects.toMatchObject({
      status: 500,
      code: "encryption_key_missing",
      details: { key_id: "a", known: ["b"] },
    });
    await thread.evict();
    deploySerde(withKey("a", { a: key(9) }));
    await expect(thread.state()).rejects.toMatchObject({
      code: "decryption_failed",
      details: { key_id: "a" },
    });
    await thread.evict();

    deploySerde(withKey("b", { a: key(1), b: key(2) }));
    const answered = await thread.resume({ interrupt_id: asked.interrupts[0]?.id, value: "yes" });
    expect(answered.values["document"]).toBe(large);
    expect(answered.values["said"]).toEqual([`${SECRET}said`, "yes"]);
  });

  it("is not pruned by halves when a key is missing: not at all, or without its large values", async () => {
    const both = { a: key(1), b: key(2) };
    deploySerde(withKey("a", { a: both.a }));
    deploy({ desk });
    const thread = new TestThread();
    await thread.invoke({ input: { said: [], document: large } });
    await thread.update({ values: { document: "gone" }, as_node: "ask" });
    const before = await thread.rowCounts();
    await thread.evict();

    deploySerde(withKey("b", { b: both.b }));
    const prune = async () => json(thread.post("/prune", {}));
    await expect(prune()).rejects.toMatchObject({ code: "encryption_key_missing" });
    expect(await thread.rowCounts()).toEqual(before);
    // The run is accepted and fails, and what it came to is written with the other key.
    await expect(thread.invoke({ input: { said: ["more"] } })).rejects.toMatchObject({
      code: "encryption_key_missing",
    });
    await thread.evict();

    deploySerde(withKey("a", { a: both.a }));
    const reported = reports().length;
    await prune();
    expect(await thread.rowCounts()).toMatchObject({ checkpoints: 1, blobs: before["blobs"] });
    expect(reports().slice(reported)).toMatchObject([{ code: "encryption_key_missing" }]);
    await thread.evict();

    deploySerde(withKey("a", both));
    await prune();
    expect(await thread.rowCounts()).toMatchObject({ checkpoints: 1, blobs: 1 });
    expect((await thread.state()).values["document"]).toBe("gone");
  });

  it.each<[string, () => EncryptedSerializer, Record<string, unknown>]>([
    [
      "a key that is none",
      () => new EncryptedSerializer({ current: "a", keys: { a: "c2hvcnQ=" } }),
      { code: "invalid_encryption_key", details: { key_id: "a" } },
    ],
    [
      "code that throws",
      () => {
        throw new Error(`${SECRET}key`);
      },
      { code: "invalid_serde", details: {} },
    ],
  ])("loses nothing by %s: every call says what is wrong, until it is right", async (_, make, error) => {
    deploySerde(withKey("a", { a: key(1) }));
    deploy({ desk });
    const thread = new TestThread();
    const asked = await thread.invoke({ input: { said: [], document: large } });
    const before = await thread.rowCounts();
    await thread.inside(({ storage }) => storage.setAlarm(Date.now() + 1000));
    await thread.evict();

    deploySerde(make);
    const refused = { status: 500, ...error };
    const answer = { interrupt_id: asked.interrupts[0]?.id, value: "yes" };
    await expect(thread.resume(answer)).rejects.toMatchObject(refused);
    await expect(thread.state()).rejects.toMatchObject(refused);
    await expect(thread.delete()).rejects.toMatchObject(refused);
    await expect(thread.state()).rejects.not.toThrow(SECRET);
    expect(await thread.fireAlarm()).toBe(true);
    expect(await thread.alarm()).toBeGreaterThan(Date.now());
    expect(await thread.rowCounts()).toEqual(before);
    await thread.evict();

    deploySerde(withKey("a", { a: key(1) }));
    expect((await thread.resume(answer)).values["document"]).toBe(large);
  });

  it("refuses what was stored before there was a key, unless it is told to read it", async () => {
    deploy({ desk });
    const thread = new TestThread();
    const asked = await thread.invoke({ input: { said: [], document: large } });
    await thread.evict();
    deploySerde(withKey("a", { a: key(1) }));
    await expect(thread.state()).rejects.toMatchObject({ code: "not_encrypted" });
    await thread.evict();
    deploySerde(withKey("a", { a: key(1) }, true));
    const answered = await thread.resume({ interrupt_id: asked.interrupts[0]?.id, value: "yes" });
    expect(answered.values["document"]).toBe(large);
    await thread.evict();
    expect((await thread.state()).values).toEqual(answered.values);
  });

  it("names answers and requests by its key, and knows them again when that was changed", async () => {
    deploySerde(withKey("a", { a: key(1) }));
    deploy({ desk });
    const thread = new TestThread();
    const asked = await thread.invoke({ input: { said: [] } });
    const answer = { interrupt_id: asked.interrupts[0]?.id, value: "yes" };
    const post = (body: unknown) =>
      request(`${thread.path}/resume`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "k" },
        body: JSON.stringify(body),
      });
    const first = (await json(post(answer))) as RunAnswer;
    const [row] = await thread.sql<{ hash: ArrayBuffer }>("SELECT hash FROM answers");
    const plain = createHash("sha256").update(stableText("yes")).digest("hex");
    expect(Buffer.from(row?.hash ?? new ArrayBuffer(0)).toString("hex")).not.toBe(plain);
    await thread.evict();

    deploySerde(withKey("b", { a: key(1), b: key(2) }));
    expect(await json(post(answer))).toEqual(first);
    await expect(json(post({ ...answer, value: "no" }))).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
    expect((await thread.resume(answer)).run_id).toBe(first.run_id);
    await expect(thread.resume({ ...answer, value: "no" })).rejects.toMatchObject({
      code: "interrupt_answered",
    });
  });

  it("keeps nothing of the answer of a call with a key, which it knows again when the key was changed", async () => {
    // The tenant's own object is that of other tests, too, which read it without a key.
    const keeper = new TestThread(".");
    const empty = async (): Promise<void> => {
      await keeper.inside(async ({ storage }) => {
        await storage.deleteAlarm();
        await storage.deleteAll();
      });
      await keeper.evict();
    };
    await empty();
    onTestFinished(empty);
    deploySerde(withKey("a", { a: key(1) }));
    deploy({ desk });
    const thread = new TestThread();
    const input = { said: [`${SECRET}input`] };
    const delayed = { assistant_id: "desk", input, after_seconds: 3600 };
    const { run_id: run } = (await json(thread.post("/runs", delayed))) as { run_id: string };
    const cancel = () =>
      json(
        request(`${thread.path}/runs/${run}/cancel`, { method: "POST", headers: { "idempotency-key": "k" } }),
      );
    const cancelled = await cancel();
    expect(JSON.stringify(cancelled)).toContain(`${SECRET}input`);
    expect(await keeper.sql("SELECT result FROM idempotency_keys")).toEqual([{ result: '{"answer":"202"}' }]);
    expect(await places(keeper)).toEqual([]);
    await keeper.evict();
    deploySerde(withKey("b", { a: key(1), b: key(2) }));
    expect(await cancel()).toEqual(cancelled);
  });

  it("moves as a file, encrypted, to where the key is", async () => {
    deploySerde(withKey("a", { a: key(1) }));
    deploy({ desk });
    const thread = new TestThread();
    await live(thread);
    const file = await request(`${thread.path}/export`).then((response) => response.arrayBuffer());
    expect(holdsSecret(file)).toBe(false);

    const copy = new TestThread();
    const headers = { "content-type": "application/octet-stream" };
    await json(request(`${copy.path}/import`, { method: "POST", headers, body: file }));
    expect((await copy.state()).values).toEqual((await thread.state()).values);
    await copy.evict();
    deploySerde(withKey("b", { b: key(2) }));
    await expect(copy.state()).rejects.toMatchObject({ code: "encryption_key_missing" });
    // It goes out as it is stored, and that is told.
    const before = reports().length;
    const again = await request(`${copy.path}/export`);
    expect((await again.arrayBuffer()).byteLength).toBeGreaterThan(1000);
    const told = reports()
      .slice(before)
      .map((error) => (error as { readonly code?: unknown }).code);
    expect(new Set(told)).toEqual(new Set(["encryption_key_missing"]));
  });
});
