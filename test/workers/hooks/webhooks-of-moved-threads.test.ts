import { describe, expect, it } from "vitest";
import type { BodyRow } from "../../../src/storage/body-row.ts";
import { LazyTables } from "../../../src/storage/lazy-tables.ts";
import { SqliteSaver } from "../../../src/storage/sqlite-saver.ts";
import { lazyTables } from "../../../src/thread/migrations.ts";
import { END, sleep, START, StateGraph } from "../../../src/index.ts";
import { exported, holds, importInto } from "../../support/archives.ts";
import { until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { ToldThread } from "../../support/told-thread.ts";
import { deploy } from "../graphs.ts";

/** The address of a webhook is often a key: who may read a thread, or copy it, does not get it with that. */

const napping = (time: number) =>
  new StateGraph(Log)
    .addNode("nap", () => {
      sleep(time);
      return { log: ["slept"] };
    })
    .addEdge(START, "nap")
    .addEdge("nap", END)
    .compile();

/** Lies apart, and counts as part of the state. */
const large = "x".repeat(200_000);

/** Above what a row may have, in pieces of which each is small. */
const many = Array.from({ length: 30_000 }, (_, index) => `${index} ${"x".repeat(40)}`);

/** Stores what the run was started with as an object does that keeps all strings above this limit apart. */
async function restage(thread: TestThread, inlineLimit: number): Promise<void> {
  await thread.inside(async ({ storage }) => {
    const saver = new SqliteSaver({
      sql: storage.sql,
      tables: new LazyTables(storage.sql, lazyTables),
      prefix: thread.stub.id.toString(),
      transact: (write) => storage.transactionSync(write),
      randomId: () => crypto.randomUUID(),
      onUnreadable: () => undefined,
      inlineLimit,
    });
    const { sql } = storage;
    const select = "SELECT request_type AS type, request AS body, request_hash AS body_hash FROM runs";
    const stored = await saver.records().read(thread.id, sql.exec<BodyRow>(select).one());
    const record = await saver.records().stage(thread.id, "input", stored);
    storage.transactionSync(() => {
      record.commit();
      const { body } = record;
      sql.exec(
        "UPDATE runs SET request_type = ?, request = ?, request_hash = ?",
        body.type,
        body.body,
        body.bodyHash,
      );
    });
  });
  await thread.evict();
}

async function webhookOf(thread: TestThread): Promise<unknown> {
  const [run] = (await thread.get("/runs")) as readonly { readonly kwargs: { readonly webhook: unknown } }[];
  return run?.kwargs.webhook;
}

describe("the webhook of a run", () => {
  it.each([
    ["in its row", []],
    ["too large for its row", many],
  ])("is not part of an export, with what the run was started with %s", async (_, log) => {
    deploy({ nap: napping(3_600_000) });
    const thread = new ToldThread();
    await thread.invoke({ input: { log }, webhook: thread.webhook("ok") });
    const archive = await exported(thread);
    const secret = `/ok/${thread.id}`;
    expect(holds(archive, secret)).toBe(false);

    const moved = await importInto(new ToldThread(), archive);
    expect(await webhookOf(thread)).toBe("http://receiver");
    expect(await webhookOf(moved)).toBeNull();
    expect((await moved.state()).values).toEqual((await thread.state()).values);
    expect(holds(await exported(moved), secret)).toBe(false);
  });

  it("is not part of an export when the run was deleted, and what it was started with lies there still", async () => {
    deploy({ nap: napping(3_600_000) });
    const thread = new ToldThread();
    await thread.invoke({ input: { log: [large] } });
    await thread.invoke({
      input: { log: many },
      webhook: thread.webhook("ok"),
      on_interrupted: "discard",
    });
    const [run] = (await thread.get("/runs")) as readonly { readonly run_id: string }[];
    await json(request(`${thread.path}/runs/${run?.run_id}`, { method: "DELETE" }));
    const archive = await exported(thread);
    expect(holds(archive, `/ok/${thread.id}`)).toBe(false);
    const moved = await importInto(new ToldThread(), archive);
    expect((await moved.state()).values).toEqual((await thread.state()).values);
    expect(await moved.objects()).toHaveLength((await thread.objects()).length - 1);
  });

  it("is not part of an export when it lies apart from the row of its run", async () => {
    deploy({ nap: napping(3_600_000) });
    const thread = new ToldThread();
    const webhook = thread.webhook("ok");
    const input = "a text that the run was started with, and that lies apart as well";
    await thread.invoke({ input: { log: [input] }, webhook });
    await restage(thread, 16);
    const archive = await exported(thread);
    expect(await webhookOf(thread)).toBe("http://receiver");
    expect(holds(archive, new URL(webhook).pathname)).toBe(false);
    const moved = await importInto(new ToldThread(), archive);
    const [run] = (await moved.get("/runs")) as readonly { readonly kwargs: unknown }[];
    expect(run?.kwargs).toMatchObject({ webhook: null, input: { log: [input] } });
  });

  it("is not told of what becomes of a copy", async () => {
    deploy({ nap: napping(2000) });
    const thread = new ToldThread();
    await thread.tell();
    await thread.settles("delivered");
    const { thread_id: id } = (await json(thread.post("/copy", {}))) as { readonly thread_id: string };
    const copy = new TestThread(id);
    expect(await webhookOf(copy)).toBeNull();
    for (const each of [thread, copy]) await until(async () => (await each.state()).next.length === 0);
    const told = (await thread.messages(2)).map(({ data }) => data.thread_id);
    expect(new Set(told)).toEqual(new Set([thread.id]));
    expect(await copy.get("/deliveries")).toEqual([]);
  });
});
