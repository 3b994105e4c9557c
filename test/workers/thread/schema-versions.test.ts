import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { Cell, ThreadHeader } from "../../../src/archive/records.ts";
import { readArchive } from "../../../src/archive/read-archive.ts";
import { MsgpackSerializer } from "../../../src/checkpoint/serde/msgpack-serializer.ts";
import { BlobBucket } from "../../../src/storage/blob-bucket.ts";
import { migrate } from "../../../src/storage/migrations.ts";
import { fromHex } from "../../../src/hex.ts";
import { Tables } from "../../../src/storage/tables.ts";
import { threadMigrations } from "../../../src/thread/migrations.ts";
import { archived, LINES } from "../../fixtures/threads/graph.ts";
import { json, request, TestThread, type WireState } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

interface Read {
  readonly state: WireState;
  readonly history: readonly WireState[];
}

const folder = "../../fixtures/threads";
const archives = import.meta.glob<Uint8Array>("../../fixtures/threads/*.tidemark", {
  eager: true,
  import: "default",
});
const reads = import.meta.glob<Read>("../../fixtures/threads/*.json", { eager: true, import: "default" });
const newest = Math.max(...threadMigrations.map(({ version }) => version));

function bytesOf(version: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(archives[`${folder}/schema-${version}.tidemark`] ?? []);
}

/** As it reads under another id. */
function readOf(version: number, thread: TestThread): Read {
  const text = JSON.stringify(reads[`${folder}/schema-${version}.json`]);
  return JSON.parse(text.replaceAll('"thread_id":"fixture"', `"thread_id":"${thread.id}"`)) as Read;
}

function importInto(thread: TestThread, archive: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const headers = { "content-type": "application/vnd.tidemark.thread" };
  return json(request(`${thread.path}/import`, { method: "POST", headers, body: archive }));
}

/** Writes the tables as the code of that time has left them. */
async function restore(thread: TestThread, version: number): Promise<void> {
  await thread.inside(async ({ storage, id }) => {
    const known = threadMigrations.filter((migration) => migration.version <= version);
    migrate(storage, known);
    const tables = new Tables(storage.sql);
    const bucket = new BlobBucket(env.BLOBS, id.toString());
    for await (const record of readArchive(new Blob([bytesOf(version)]).stream())) {
      if (record.kind === "thread") {
        if (version >= FIRST_WITH_ROW) tables.insert("thread", [threadRow(thread, record)]);
      } else if (record.kind === "rows") {
        tables.insert(
          record.table,
          record.rows.map((row) => rowOf(record.columns, row, thread.id)),
        );
      } else if (record.kind === "blob") {
        const statement = "SELECT generation FROM blobs WHERE hash = ?";
        const { generation } = storage.sql
          .exec<{ generation: string }>(statement, fromHex(record.hash))
          .one();
        await bucket.put(record.hash, generation, record.bytes);
      }
    }
    if (version >= FIRST_WITH_ROW) return;
    migrate(storage, threadMigrations);
    tables.insert("thread", [{ ...threadRow(thread, { graph: "archived" }), created_at: 0 }]);
  });
}

function threadRow(
  thread: TestThread,
  { graph = "", columns }: Pick<ThreadHeader, "graph" | "columns">,
): Record<string, Cell> {
  return { id: 1, tenant: "", thread_id: thread.id, graph, ...columns };
}

function rowOf(columns: readonly string[], row: readonly Cell[], threadId: string): Record<string, Cell> {
  return Object.fromEntries(
    columns.map((column, index) => [column, column === "thread_id" ? threadId : (row[index] ?? null)]),
  );
}

const versions = Object.keys(archives).map((file) => Number(/schema-(\d+)/.exec(file)?.[1]));

/** Before it the tables were those of checkpoints alone: a thread gets its row when it is called. */
const FIRST_WITH_ROW = 2;
/** Before it nothing could be exported. */
const FIRST_EXPORTED = 5;
/** Before it the threads that were kept had no list of which a task has written a patch. */
const FIRST_WITH_LINES = 24;

it("there is a thread of each version of the tables", () => {
  const known = threadMigrations.map(({ version }) => version);
  expect(versions.toSorted((a, b) => a - b)).toEqual(known);
});

beforeEach(() => deploy({ archived }));

describe.each(versions)("a thread with tables of version %i (MIG-01)", (version) => {
  it("is read, answered and forked where it is", async () => {
    const thread = new TestThread();
    await restore(thread, version);
    await thread.evict();
    await expectWhole(thread, version);
  });
});

const withLines = versions.filter((version) => version >= FIRST_WITH_LINES);

it.each(withLines)(
  "a thread with tables of version %i has a patch among the writes at its head",
  async (version) => {
    const serde = new MsgpackSerializer();
    const patched: unknown[] = [];
    for await (const record of readArchive(new Blob([bytesOf(version)]).stream())) {
      if (record.kind !== "rows" || record.table !== "writes") continue;
      for (const row of record.rows) {
        const body: unknown = serde.loadsTyped("msgpack", row[record.columns.indexOf("body")] as Uint8Array);
        if (Array.isArray(body) && Array.isArray(body[0])) patched.push(body);
      }
    }
    expect(patched.length).toBeGreaterThanOrEqual(2);
  },
);

const exported = versions.filter((version) => version >= FIRST_EXPORTED);

describe.each(exported)("a thread that was exported with tables of version %i", (version) => {
  it("is read, answered and forked after it was moved", async () => {
    const thread = new TestThread();
    await importInto(thread, bytesOf(version));
    await expectWhole(thread, version);
  });
});

it("a thread with tables of newer code is refused, and left as it is", async () => {
  const thread = new TestThread();
  await importInto(thread, bytesOf(Math.max(...versions)));
  await thread.state();
  await thread.sql("INSERT INTO schema_migrations (version, name) VALUES (?, 'of the future')", newest + 1);
  const before = await thread.rowCounts();
  await thread.evict();
  const refused = { status: 500, code: "schema_too_new", details: { database_version: newest + 1 } };
  await expect(thread.state()).rejects.toMatchObject(refused);
  await expect(thread.invoke({ input: { log: [] } })).rejects.toMatchObject(refused);
  expect(await thread.rowCounts()).toEqual(before);
});

async function expectWhole(thread: TestThread, version: number): Promise<void> {
  const read = readOf(version, thread);
  expect(await thread.state()).toEqual(read.state);
  expect(await thread.history("?limit=100")).toEqual(read.history);
  const [question] = read.state.interrupts;
  const done = await thread.resume({ interrupt_id: question?.id, value: "now" });
  expect(done.values["log"]).toEqual(["in", "fork", "ask: now", "before", "inside: second", "after"]);
  if (version >= FIRST_WITH_LINES) {
    const revised = read.state.tasks.find(({ name }) => name === "revise");
    expect(revised?.result).toEqual({ lines: [...LINES, "revised"] });
    expect(done.values["lines"]).toEqual([...LINES, "revised"]);
  }
  const first = read.history.at(-1)?.checkpoint.checkpoint_id;
  const branch = await thread.invoke({ input: { log: ["branch"] }, checkpoint_id: first });
  expect(branch.interrupts.map(({ value }) => value)).toEqual(["outside?", "inside?"]);
  const answers = Object.fromEntries(branch.interrupts.map(({ id }) => [id, "here"]));
  const { values } = await thread.resume({ values: answers });
  expect([values["lines"], values["kept"]]).toEqual([[...LINES, "revised"], LINES.length]);
}
