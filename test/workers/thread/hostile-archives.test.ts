import { afterEach, describe, expect, it } from "vitest";
import type { ContentRecord } from "../../../src/archive/records.ts";
import { EncryptedSerializer, MsgpackSerializer } from "../../../src/checkpoint/index.ts";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { fromHex, toHex } from "../../../src/hex.ts";
import { COPY, ELSEWHERE, KEEP, LIST, VALUE } from "../../../src/storage/patch/node.ts";
import { archiveOf, changed, exported, importInto, recordsOf, type Row } from "../../support/archives.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy, deploySerde } from "../graphs.ts";

/** Files that somebody has made up: their checksums are right. */

const asking = new StateGraph(Log)
  .addNode("ask", () => ({ log: [String(interrupt("ok?"))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

const MEMBERS = 1024;
const ROWS = 30;
const doubled = (count: number) => [COPY, 0, count, COPY, 0, count];

const serde = new MsgpackSerializer();

/** A paused thread and its newest checkpoint. */
async function pausedThread(): Promise<{ readonly thread: TestThread; readonly newest: string }> {
  deploy({ asking });
  const thread = new TestThread();
  await thread.invoke({ input: { log: Array.from({ length: MEMBERS }, () => "x") } });
  return { thread, newest: (await thread.state()).checkpoint.checkpoint_id };
}

/** Has rows after its newest checkpoint. `nodes`: what each does to the channel. */
async function withRows(nodes: readonly unknown[]) {
  const { thread, newest } = await pausedThread();
  const records = await changed(await exported(thread), "checkpoints", (row) => {
    if (toHex(bytesOf(row)) !== newest.replaceAll("-", "")) return row;
    const rows = [row];
    for (const [index, node] of nodes.entries()) {
      const [type, body] = serde.dumpsTyped([KEEP, 0, "log", node]);
      const parent = rows.at(-1)?.["id"] ?? null;
      rows.push({ ...row, id: idAfter(row, index), parent, level: 0, base: null, type, body });
    }
    return rows;
  });
  return { thread: await importInto(new TestThread(), await archiveOf(records)), newest };
}

function bytesOf({ id }: Row): Uint8Array {
  return id instanceof Uint8Array ? id : new Uint8Array();
}

function idAfter(row: Row, index: number): Uint8Array {
  const id = bytesOf(row).slice();
  id[0] = 0xf0;
  id[1] = index;
  return id;
}

const each = (node: (index: number) => unknown) => Array.from({ length: ROWS }, (_, index) => node(index));

const shared = [COPY, 0, MEMBERS];

afterEach(() => deploySerde(() => new MsgpackSerializer()));

describe("an archive whose rows come to more than an object has room for", () => {
  it.each<readonly [string, readonly unknown[]]>([
    [
      "a list that is copied twice in each of 30 rows",
      each((index) => [LIST, ...doubled(MEMBERS * 2 ** index)]),
    ],
    [
      "a list that is referred to twice in each",
      each((index) => [ELSEWHERE, ["log"], [LIST, ...doubled(MEMBERS * 2 ** index)]]),
    ],
    [
      "a list that one row copies 100,000 times",
      [[LIST, ...Array.from({ length: 100_000 }, () => shared).flat()]],
    ],
  ])("is told of when it is read, and all before it is there: %s", async (_, nodes) => {
    const { thread, newest } = await withRows(nodes);
    await expect(thread.state()).rejects.toMatchObject({
      code: "undecodable",
      message: expect.stringMatching(/the row of checkpoint "f0.*": more comes of it/),
      details: { checkpoint_id: expect.stringMatching(/^f0/) },
    });
    expect((await thread.state(newest)).values["log"]).toHaveLength(MEMBERS);
    expect(await thread.delete()).toBe(204);
  });

  it("is told of before it is text: a list that stands twice in one, and that twice in another, 30 times", async () => {
    let list: unknown = ["x".repeat(1000)];
    for (let level = 0; level < 30; level++) list = [list, list];
    const { thread, newest } = await withRows([[VALUE, list]]);
    await expect(thread.state()).rejects.toMatchObject({ status: 507, code: "response_too_large" });
    expect((await thread.state(newest)).values["log"]).toHaveLength(MEMBERS);
  });

  it("is told of when what tasks have written is read", async () => {
    const { thread } = await pausedThread();
    const long = [LIST, ...Array.from({ length: 1000 }, () => shared).flat()];
    const writes = Array.from({ length: 40 }, (_, index) => [index, "log", long]);
    const [type, body] = serde.dumpsTyped([Array.from(writes.keys()), "", writes]);
    const records = await changed(await exported(thread), "writes", (row) => ({ ...row, type, body }));
    const other = await importInto(new TestThread(), await archiveOf(records));
    await expect(other.state()).rejects.toMatchObject({
      code: "undecodable",
      message: expect.stringContaining("more comes of it"),
    });
  });
});

describe("an archive with a large value that its hash does not stand for", () => {
  const large = "x".repeat(200_000);
  const other = new TextEncoder().encode("y".repeat(large.length));

  async function largeThread(): Promise<Uint8Array<ArrayBuffer>> {
    deploy({ asking });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in", large] } });
    return exported(thread);
  }

  /** As a thread without a bucket has it: in the tables. `bytes`: in the place of its own. */
  async function inTables(archive: Uint8Array<ArrayBuffer>, bytes?: Uint8Array): Promise<ContentRecord[]> {
    const records = await changed(archive, "blobs", (row) => ({ ...row, generation: null }));
    return records.map((record) => {
      if (record.kind !== "blob") return record;
      const row = ["", fromHex(record.hash), 0, bytes ?? record.bytes];
      return { kind: "rows", table: "parts", columns: ["thread_id", "hash", "n", "bytes"], rows: [row] };
    });
  }

  async function expectRefused(records: readonly ContentRecord[]): Promise<void> {
    const target = new TestThread();
    await expect(importInto(target, await archiveOf(records))).rejects.toMatchObject({
      status: 400,
      code: "invalid_archive",
      message: expect.stringContaining("is another one"),
    });
    expect(await target.tables()).toEqual([]);
    expect(await target.objects()).toEqual([]);
  }

  it("is refused, and nothing is kept: in the bucket", async () => {
    const records = await recordsOf(await largeThread());
    await expectRefused(
      records.map((record) => (record.kind === "blob" ? { ...record, bytes: other } : record)),
    );
  });

  it("is refused, and nothing is kept: in the tables", async () => {
    const archive = await largeThread();
    const whole = await importInto(new TestThread(), await archiveOf(await inTables(archive)));
    expect((await whole.state()).values["log"]).toEqual(["in", large]);
    await expectRefused(await inTables(archive, other));
    await expectRefused(await inTables(archive, other.slice(1)));
  });

  it("is refused where it is encrypted: another value, under another's name", async () => {
    const keys = { first: new Uint8Array(32).fill(1), second: new Uint8Array(32).fill(2) };
    deploySerde(() => new EncryptedSerializer({ current: "first", keys }));
    deploy({ asking });
    const thread = new TestThread();
    await thread.invoke({ input: { log: [large, large.replaceAll("x", "y")] } });
    const records = await recordsOf(await exported(thread));
    const [one, another] = records.filter((record) => record.kind === "blob");
    if (one === undefined || another === undefined) throw new Error("there are two large values");
    const swapped = new Map([
      [one.hash, another.bytes],
      [another.hash, one.bytes],
    ]);
    await expectRefused(
      records.map((record) =>
        record.kind === "blob" ? { ...record, bytes: swapped.get(record.hash) ?? record.bytes } : record,
      ),
    );
    deploySerde(() => new EncryptedSerializer({ current: "second", keys }));
    const renamed = await importInto(new TestThread(), await archiveOf(records));
    expect((await renamed.state()).values["log"]).toHaveLength(2);
    deploySerde(() => new EncryptedSerializer({ current: "second", keys: { second: keys.second } }));
    const unreadable = new TestThread();
    const headers = { "content-type": "application/vnd.tidemark.thread" };
    const body = await archiveOf(records);
    expect(await json(request(`${unreadable.path}/import`, { method: "POST", headers, body }))).toMatchObject(
      {
        unchecked_blobs: [one.hash, another.hash],
      },
    );
    await expect(unreadable.state()).rejects.toMatchObject({ code: "encryption_key_missing" });
  });
});
