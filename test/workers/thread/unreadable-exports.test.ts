import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { EncryptedSerializer, MsgpackSerializer } from "../../../src/checkpoint/index.ts";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { exported, holds, importInto } from "../../support/archives.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Log } from "../../support/log.ts";
import { placeOfReport, reports } from "../../support/reports.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy, deploySerde } from "../graphs.ts";

/** A thread can be exported and copied whatever of it cannot be read any more. */

const asking = new StateGraph(Log)
  .addNode("ask", () => ({ log: [String(interrupt("ok?"))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

/** Lies apart. */
const large = "x".repeat(200_000);
/** Above what a row may have, in pieces of which each is small. */
const many = Array.from({ length: 30_000 }, (_, index) => `${index} ${"x".repeat(40)}`);
const webhook = "http://receiver/ok/secret-of-the-receiver";
const secret = new URL(webhook).pathname;

/** Writes with the first of these keys. */
const keyed = (...ids: readonly [string, ...string[]]) =>
  new EncryptedSerializer({
    current: ids[0],
    keys: Object.fromEntries(ids.map((id) => [id, new Uint8Array(32).fill(id.length + id.charCodeAt(0))])),
  });

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly kwargs: { readonly input: unknown; readonly webhook: unknown };
}

async function copied(thread: TestThread): Promise<TestThread> {
  const { thread_id: id } = (await json(thread.post("/copy", {}))) as { readonly thread_id: string };
  return new TestThread(id);
}

const runsOf = async (thread: TestThread): Promise<readonly Run[]> =>
  (await thread.get("/runs")) as readonly Run[];

async function answer(thread: TestThread, value = "yes") {
  const [question] = (await thread.state()).interrupts;
  return thread.resume({ interrupt_id: question?.id, value });
}

async function expectAnswered(thread: TestThread): Promise<void> {
  expect(await answer(thread)).toMatchObject({
    status: "success",
    values: { log: ["in", large, "yes"] },
  });
}

afterEach(() => {
  holdBucket();
  deploySerde(() => new MsgpackSerializer());
});

describe("an export of a thread of which something cannot be read", () => {
  it("has a run without what it was started with, where that is damaged, and tells it", async () => {
    deploy({ asking });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in", large] }, webhook });
    // Still in the clear, but no request any more.
    await thread.sql("UPDATE runs SET request = x'c1' || substr(request, 2)");
    await thread.evict();
    const archive = await exported(thread);
    const [{ run_id: id } = { run_id: "" }] = await thread.sql<{ run_id: string }>(
      "SELECT id AS run_id FROM runs",
    );
    expect(reports().map((error) => placeOfReport(error)?.run_id)).toContain(id);
    expect(holds(archive, secret)).toBe(false);
    for (const moved of [await importInto(new TestThread(), archive), await copied(thread)]) {
      expect(await runsOf(moved)).toMatchObject([
        { run_id: id, status: "success", kwargs: { webhook: null } },
      ]);
      await expectAnswered(moved);
    }
  });

  it("has what is encrypted with a key that is gone, as it is stored", async () => {
    const deployKeys = (...ids: readonly [string, ...string[]]) => deploySerde(() => keyed(...ids));
    deployKeys("old");
    deploy({ asking });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in", large] }, webhook });
    await thread.evict();
    deployKeys("new", "old");
    await answer(thread);
    await thread.evict();
    deployKeys("new");
    const moved = await importInto(new TestThread(), await exported(thread));
    deployKeys("new", "old");
    for (const each of [thread, moved]) {
      await each.evict();
      expect((await each.state()).values).toEqual({ log: ["in", large, "yes"] });
      expect((await runsOf(each)).at(-1)).toMatchObject({ kwargs: { input: { log: ["in", large] } } });
    }
    expect(await moved.history()).toHaveLength((await thread.history()).length);
    expect((await runsOf(moved)).map(({ status }) => status)).toEqual(["success", "success"]);
  });

  it("has the large values of a checkpoint that is damaged or of other code, and no webhook of a run that is there", async () => {
    deploy({ asking });
    const thread = new TestThread();
    await thread.invoke({ input: { log: [large] } });
    await answer(thread);
    await thread.invoke({ input: { log: many }, webhook });
    const read = await thread.sql("SELECT * FROM checkpoints");
    await thread.sql("UPDATE checkpoints SET body = x'c1' || substr(body, 2)");
    await thread.evict();
    const archive = await exported(thread);
    expect(holds(archive, secret)).toBe(false);
    const moved = await importInto(new TestThread(), archive);
    for (const { id, body } of read)
      await moved.sql("UPDATE checkpoints SET body = ? WHERE id = ?", body ?? null, id ?? null);
    await moved.evict();
    expect((await moved.state()).values["log"]).toEqual([large, "yes", ...many]);
  });

  it("has all but the large values that are gone from the bucket, and names them", async () => {
    deploy({ asking });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    const kept = "y".repeat(200_000);
    const { checkpoint_id: id } = await answer(thread, kept);
    const before = await thread.objects();
    await thread.invoke({ input: { log: [large] } });
    const [gone = "", ...more] = (await thread.objects()).filter((key) => !before.includes(key));
    expect([gone, more]).toEqual([expect.any(String), []]);
    await env.BLOBS.delete(gone);
    await thread.evict();
    const hash = /([0-9a-f]{64})\.[^/]*$/u.exec(gone)?.[1];
    const target = new TestThread();
    const archive = await exported(thread);
    const headers = { "content-type": "application/vnd.tidemark.thread" };
    expect(
      await json(request(`${target.path}/import`, { method: "POST", headers, body: archive })),
    ).toMatchObject({ blobs: 1, missing_blobs: [hash] });
    expect(reports()).toContainEqual(
      expect.objectContaining({ code: "blob_missing", details: { hashes: [hash] } }),
    );
    await expect(target.state()).rejects.toMatchObject({ code: "blob_missing" });
    expect((await target.state(id)).values).toEqual({ log: ["in", kept] });
  });

  it("is refused, and not cut off, while what is large cannot be read for the moment", async () => {
    deploy({ asking });
    const thread = new TestThread();
    await thread.invoke({ input: { log: many }, webhook });
    await thread.evict();
    holdBucket(({ operation }) => (operation === "get" ? Promise.reject(new Error("down")) : undefined));
    const response = await request(`${thread.path}/export`);
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: { code: "blob_unavailable" } },
    ]);
    holdBucket();
    expect(holds(await exported(thread), secret)).toBe(false);
  });
});
