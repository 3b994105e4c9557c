import { afterEach, describe, expect, it } from "vitest";
import { readArchive } from "../../../src/archive/read-archive.ts";
import type { Cell, ContentRecord } from "../../../src/archive/records.ts";
import { ARCHIVED_TABLES } from "../../../src/thread/transfer/archived-tables.ts";
import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { archiveOf, changed, type Row } from "../../support/archives.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const TYPE = "application/vnd.tidemark.thread";
const large = "x".repeat(200_000);

const asking = new StateGraph(Log)
  .addNode("ask", () => ({ log: [String(interrupt("ok?"))] }))
  .addNode("after", () => ({ log: ["after"] }))
  .addEdge(START, "ask")
  .addEdge("ask", "after")
  .addEdge("after", END)
  .compile();

async function exported(thread: TestThread): Promise<Uint8Array<ArrayBuffer>> {
  const response = await request(`${thread.path}/export`);
  if (!response.ok) await json(response);
  expect(response.headers.get("content-type")).toBe(TYPE);
  return new Uint8Array(await response.arrayBuffer());
}

function imported(thread: TestThread, archive: BodyInit, type = TYPE): Promise<unknown> {
  const headers = { "content-type": type };
  return json(request(`${thread.path}/import`, { method: "POST", headers, body: archive }));
}

async function pausedThread(): Promise<TestThread> {
  deploy({ asking });
  const thread = new TestThread();
  await thread.invoke({ input: { log: ["in", large] }, config: { metadata: { tenant: "acme" } } });
  return thread;
}

async function expectNothing(thread: TestThread): Promise<void> {
  expect(await thread.tables()).toEqual([]);
  expect(await thread.objects()).toEqual([]);
  expect(await thread.alarm()).toBeNull();
  await expect(thread.state()).rejects.toMatchObject({ status: 404 });
}

afterEach(() => holdBucket());

describe("a thread that is moved", () => {
  it("is the same thread elsewhere, and its question is answered there", async () => {
    const source = await pausedThread();
    const target = new TestThread();
    const answer = await imported(target, await exported(source));
    expect(answer).toEqual({ thread_id: target.id, graph: "asking", checkpoints: 2, runs: 1, blobs: 1 });
    const before = await source.state();
    expect(before.metadata).toMatchObject({ tenant: "acme" });
    expect(await target.state()).toEqual({
      ...before,
      metadata: { ...before.metadata, thread_id: target.id },
      checkpoint: { ...before.checkpoint, thread_id: target.id },
      parent_checkpoint: { ...before.parent_checkpoint, thread_id: target.id },
    });
    const [question] = before.interrupts;
    const resumed = await target.resume({ interrupt_id: question?.id, value: "yes" });
    expect(resumed).toMatchObject({ status: "success", values: { log: ["in", large, "yes", "after"] } });
    expect((await source.state()).interrupts).toEqual(before.interrupts);
    expect(await target.objects()).toHaveLength(1);
    await source.delete();
    await target.evict();
    expect((await target.state()).values).toEqual({ log: ["in", large, "yes", "after"] });
    expect(await target.history()).toHaveLength(4);
    expect(await target.alarm()).toBeNull();
  });

  it("has all rows of the tables that make it up, and no others", async () => {
    const source = await pausedThread();
    const target = new TestThread();
    await imported(target, await exported(source));
    expect(await target.rowCounts()).toEqual(await source.rowCounts());
    const own = [
      "crons",
      "deliveries",
      "events",
      "idempotency_keys",
      "queue",
      "schema_migrations",
      "thread",
      "timers",
    ];
    expect(Object.keys(await target.rowCounts()).toSorted()).toEqual([...ARCHIVED_TABLES, ...own].toSorted());
  });

  it("may be as large as a thread can get", { timeout: 60_000 }, async () => {
    const part = "x".repeat(100_000);
    const Out = Annotation.Root({ count: Annotation<number>() });
    const growing = new StateGraph({ state: Annotation.Root({ ...Log.spec, ...Out.spec }), output: Out })
      .addNode("grow", ({ count }) => ({ log: Array.from({ length: count }, (_, n) => `${n}${part}`) }))
      .addEdge(START, "grow")
      .compile();
    deploy({ growing });
    const source = new TestThread();
    await source.invoke({ input: { count: 330 } });
    await expect(source.invoke({ input: { count: 20 } })).rejects.toMatchObject({
      code: "value_too_large",
      details: { limit: 32 * 1024 * 1024, channel: "log" },
    });
    const target = new TestThread();
    await imported(target, await exported(source));
    expect((await target.state()).next).toEqual(["grow"]);
    expect((await target.state()).values["log"]).toHaveLength(330);
    const head = "SELECT length(body) AS size, hex(body_hash) AS hash FROM checkpoints";
    expect(await target.sql(head)).toEqual(await source.sql(head));
  });

  it("may have more rows than fit into one record", async () => {
    deploy({ asking });
    const source = new TestThread();
    const texts = (n: number) => Array.from({ length: 6 }, (_, index) => `${n}${index}`.repeat(50_000));
    await source.invoke({ input: { log: texts(1) } });
    for (const n of [2, 3]) await source.update({ values: { log: texts(n) }, as_node: "after" });
    const archive = await exported(source);
    expect(archive.length).toBeGreaterThan(1_800_000);
    const target = new TestThread();
    await imported(target, archive);
    expect((await target.state()).values).toEqual((await source.state()).values);
    expect(await target.history()).toHaveLength((await source.history()).length);
  });
});

describe("an export", () => {
  it("is refused for a thread that is not there, and for one at work", async () => {
    await expect(exported(new TestThread())).rejects.toMatchObject({ status: 404, code: "thread_not_found" });
    const gate = new Gate();
    deploy({
      slow: new StateGraph(Log)
        .addNode("wait", () => gate.pass().then(() => ({})))
        .addEdge(START, "wait")
        .compile(),
    });
    const thread = new TestThread();
    const run = thread.invoke({ input: { log: [] } });
    await gate.reached();
    await expect(exported(thread)).rejects.toMatchObject({ status: 409, code: "thread_busy" });
    gate.open();
    await run;
    expect((await exported(thread)).length).toBeGreaterThan(0);
  });

  it("breaks off when the thread is written meanwhile, and no import takes what came", async () => {
    const source = await pausedThread();
    const gate = new Gate();
    let gets = 0;
    holdBucket(({ operation }) => (operation === "get" && gets++ === 0 ? gate.pass() : undefined));
    const response = await request(`${source.path}/export`);
    const chunks: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of response.body ?? []) chunks.push(chunk);
    })();
    await gate.reached();
    await source.update({ values: { log: ["edit"] }, as_node: "after" });
    gate.open();
    await expect(reading).rejects.toThrow();
    const target = new TestThread();
    const cutOff = new Blob(chunks.map((chunk) => new Uint8Array(chunk)));
    await expect(imported(target, cutOff)).rejects.toMatchObject({ status: 400, code: "invalid_archive" });
    await expectNothing(target);
  });
});

describe("an import", () => {
  it("never adds to a thread that is there", async () => {
    const source = await pausedThread();
    const archive = await exported(source);
    await expect(imported(source, archive)).rejects.toMatchObject({ status: 409, code: "thread_exists" });
    expect((await source.state()).interrupts).toHaveLength(1);
  });

  it("stores nothing of what is damaged or cut off", async () => {
    const archive = await exported(await pausedThread());
    const flipped = archive.slice();
    flipped[archive.length - 100_000] = (flipped[archive.length - 100_000] ?? 0) ^ 1;
    for (const bad of [
      archive.slice(0, -1),
      archive.slice(0, archive.length / 2),
      flipped,
      new Uint8Array(3),
    ]) {
      const target = new TestThread();
      await expect(imported(target, bad)).rejects.toMatchObject({ status: 400, code: "invalid_archive" });
      await expectNothing(target);
    }
  });

  it("is refused without a body, with another type, and with keys in the query", async () => {
    const thread = new TestThread();
    const wrongType = { status: 415, code: "unsupported_media_type" };
    await expect(imported(thread, "{}", "application/json")).rejects.toMatchObject(wrongType);
    await expect(json(request(`${thread.path}/import`, { method: "POST" }))).rejects.toMatchObject(wrongType);
    await expect(json(request(`${thread.path}/export?x=1`))).rejects.toMatchObject({ status: 400 });
    await expectNothing(thread);
  });

  it("is refused when its graph is not deployed", async () => {
    const archive = await exported(await pausedThread());
    const other = new StateGraph(Log)
      .addNode("n", () => ({}))
      .addEdge(START, "n")
      .compile();
    deploy({ other });
    const target = new TestThread();
    await expect(imported(target, archive)).rejects.toMatchObject({ status: 404, code: "unknown_graph" });
    await expectNothing(target);
  });

  it.each([
    ["tables of newer code", { kind: "thread", schema: 999, graph: "asking" }, "archive_too_new"],
    ["tables that no thread had", { kind: "thread", schema: 1, graph: "asking" }, "invalid_archive"],
    [
      "rows of a table that is not moved",
      { kind: "rows", table: "queue", columns: [], rows: [] },
      "invalid_archive",
    ],
    [
      "a column that is not there",
      { kind: "rows", table: "runs", columns: ["x"], rows: [[1]] },
      "invalid_archive",
    ],
    [
      "rows that break a rule of the table",
      { kind: "rows", table: "runs", columns: ["id"], rows: [["r"]] },
      "invalid_archive",
    ],
    [
      "a large value that no row refers to",
      { kind: "blob", hash: "00", size: 1, bytes: new Uint8Array(1) },
      "invalid_archive",
    ],
    [
      "a large value that is too large",
      { kind: "blob", hash: "00", size: 1e12, bytes: new Uint8Array(1) },
      "invalid_archive",
    ],
  ] as const)("is refused with %s", async (_, record, code) => {
    deploy({ asking });
    const target = new TestThread();
    const start = { kind: "thread", schema: 2, graph: "asking" } as const;
    const records = record.kind === "thread" ? [record] : [start, record];
    await expect(imported(target, await archiveOf(records as ContentRecord[]))).rejects.toMatchObject({
      code,
    });
    await expectNothing(target);
  });

  it("is refused with a row of the thread that no thread has", async () => {
    const records: ContentRecord[] = [];
    for await (const record of readArchive(new Blob([await exported(await pausedThread())]).stream()))
      records.push(record);
    const imports = async (columns: Row): Promise<TestThread> => {
      const target = new TestThread();
      const other = records.map((record) =>
        record.kind === "thread" ? { ...record, columns: { ...record.columns, ...columns } } : record,
      );
      await imported(target, await archiveOf(other));
      return target;
    };
    for (const columns of [
      { metadata: "not json" },
      { metadata: "null" },
      { metadata: "[1]" },
      { metadata: 5 },
      { metadata: JSON.stringify({ a: "x".repeat(17_000) }) },
      { created_at: Number.MAX_SAFE_INTEGER },
      { created_at: null },
      { updated_at: -1 },
    ]) {
      await expect(imports(columns)).rejects.toMatchObject({ status: 400, code: "invalid_archive" });
    }
    const metadata = JSON.stringify({ n: 1, graph_id: "other", assistant_id: "mine" });
    const thread = await imports({ metadata, updated_at: 5 });
    expect(await thread.get("")).toMatchObject({
      metadata: { n: 1, graph_id: "asking", assistant_id: "mine" },
    });
    // Whatever has put it there.
    await thread.sql("UPDATE thread SET metadata = 'not json'");
    expect(await thread.delete()).toBe(204);
  });

  it.each([
    ["an id that is a number", "checkpoints", (row: Row) => ({ ...row, id: 5 })],
    ["a level that is text", "checkpoints", (row: Row) => ({ ...row, level: "x" })],
    ["a time that is text", "runs", (row: Row) => ({ ...row, created_at: "yesterday" })],
  ])("is refused with %s", async (_, table, change) => {
    const records = await changed(await exported(await pausedThread()), table, change);
    const target = new TestThread();
    await expect(imported(target, await archiveOf(records))).rejects.toMatchObject({
      code: "invalid_archive",
    });
    await expectNothing(target);
  });

  it("is refused where one large value comes twice, and another not at all", async () => {
    deploy({ asking });
    const source = new TestThread();
    await source.invoke({ input: { log: [large, large.replaceAll("x", "y")] } });
    const records: ContentRecord[] = [];
    for await (const record of readArchive(new Blob([await exported(source)]).stream())) records.push(record);
    const blobs = records.filter(({ kind }) => kind === "blob");
    const others = records.filter(({ kind }) => kind !== "blob");
    expect(blobs).toHaveLength(2);
    for (const given of [blobs.slice(1), blobs.map(() => blobs[0]), [...blobs, blobs[0]]]) {
      const target = new TestThread();
      const archive = await archiveOf([...others, ...given] as ContentRecord[]);
      await expect(imported(target, archive)).rejects.toMatchObject({ code: "invalid_archive" });
      await expectNothing(target);
    }
  });

  it("ends with an error, not never, when rows are patches of each other in a circle", async () => {
    const archive = await exported(await pausedThread());
    const ids: unknown[] = [];
    await changed(archive, "checkpoints", (row) => (ids.push(row["id"]), row));
    const [first, second] = ids;
    const circle = await changed(archive, "checkpoints", (row) => ({
      ...row,
      level: 0,
      parent: (row["id"] === first ? second : first) as Cell,
    }));
    const target = new TestThread();
    await imported(target, await archiveOf(circle));
    await expect(target.state()).rejects.toMatchObject({ code: "undecodable" });
    expect(await target.delete()).toBe(204);
  });

  it("keeps everything else out, and leaves nothing when the object is stopped underway", async () => {
    const archive = await exported(await pausedThread());
    const target = new TestThread();
    const gate = new Gate();
    holdBucket(({ operation }) => (operation === "put" ? gate.pass() : undefined));
    const importing = imported(target, archive);
    await gate.reached();
    const busy = { status: 409, code: "thread_busy" };
    await expect(target.invoke({ input: { log: [] } })).rejects.toMatchObject(busy);
    await expect(target.state()).rejects.toMatchObject(busy);
    await expect(target.delete()).rejects.toMatchObject(busy);
    await expect(imported(target, archive)).rejects.toMatchObject(busy);
    await target.crash();
    await expect(importing).rejects.toMatchObject({
      code: expect.stringMatching(/thread_unavailable|internal/),
    });
    holdBucket();
    gate.open();
    await target.fireAlarm();
    await expectNothing(target);
    await imported(target, archive);
    expect((await target.state()).interrupts).toHaveLength(1);
  });

  it("takes checkpoints of another saver, the parents first", async () => {
    deploy({ asking });
    const target = new TestThread();
    const checkpoint = (id: string, log: readonly string[]) => ({
      v: 4,
      id,
      ts: "2026-01-01T00:00:00.000Z",
      channel_values: { log },
      channel_versions: { __start__: 2, log: 2, "branch:to:after": 3 },
      versions_seen: { __input__: {}, __start__: { __start__: 1 } },
    });
    const metadata = { source: "loop", step: 0, parents: {} } as const;
    const first = "1f0d2c00-0000-6000-8000-000000000001";
    const second = "1f0d2c00-0000-6000-8000-000000000002";
    const records: ContentRecord[] = [
      { kind: "thread", schema: 0 },
      { kind: "checkpoint", namespace: "", checkpoint: checkpoint(first, ["a"]), metadata, writes: [] },
      {
        kind: "checkpoint",
        namespace: "",
        parentId: first,
        checkpoint: checkpoint(second, ["a", "b"]),
        metadata: { ...metadata, step: 1 },
        writes: [],
      },
    ];
    expect(await imported(target, await archiveOf(records))).toMatchObject({
      graph: "asking",
      checkpoints: 2,
    });
    expect((await target.history()).map(({ values }) => values)).toEqual([
      { log: ["a", "b"] },
      { log: ["a"] },
    ]);
  });

  it("may be of older code that wrote no versions (MIG-03)", async () => {
    deploy({ asking });
    const target = new TestThread();
    const id = "1f0d2c00-0000-6000-8000-000000000001";
    const older = { v: 1, id, ts: "2024-01-01T00:00:00.000Z", channel_values: { log: ["a"] } };
    const metadata = { source: "loop", step: 0 };
    const record: unknown = { kind: "checkpoint", namespace: "", checkpoint: older, metadata, writes: [] };
    const records = [{ kind: "thread", schema: 0 } as const, record as ContentRecord];
    await imported(target, await archiveOf(records));
    expect((await target.state()).values).toEqual({ log: ["a"] });
    const asked = await target.invoke({ input: { log: ["b"] } });
    expect(asked).toMatchObject({ status: "interrupted", values: { log: ["a", "b"] } });
  });
});
