import { afterEach, describe, expect, it, vi } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { exported, importInto } from "../../support/archives.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import type { StartRun } from "../../../src/thread/protocol.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { gateOfTurns } from "../../support/turns.ts";
import { startRun } from "../directory/start-run.ts";
import { announcing, deploy } from "../graphs.ts";
import { server } from "../http/auth/server.ts";

const plain = new StateGraph(Log)
  .addNode("n", () => ({ log: ["n"] }))
  .addEdge(START, "n")
  .addEdge("n", END)
  .compile();

/** So many calls that come alone go on at once before one waits. */
const ALONE = 32;

/** A thread whose next run waits. */
async function usedThread(first = "b"): Promise<TestThread> {
  deploy({ plain });
  const thread = new TestThread();
  await thread.invoke({ input: { log: [first] } });
  for (let run = 1; run < ALONE; run++) await thread.invoke({ input: { log: ["b"] } });
  return thread;
}

/** As the router asks the object for a run. */
function start({ id: threadId }: TestThread): StartRun {
  const { request: run, ...rest } = startRun({ tenant: "", threadId });
  return { ...rest, request: { ...run, graph: "plain" } };
}

async function patch(thread: TestThread, metadata: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  await json(request(thread.path, { method: "PATCH", headers, body: JSON.stringify({ metadata }) }));
}

/** A thread that is removed by its next timer, and whose next run waits. */
async function shortLived({
  ttl,
  isTemporary,
}: {
  ttl?: number;
  isTemporary?: boolean;
}): Promise<TestThread> {
  deploy({ plain });
  const thread = new TestThread();
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ thread_id: thread.id, ttl });
  if (ttl !== undefined) await json(request("/threads", { method: "POST", headers, body }));
  for (let run = 0; run < ALONE; run++)
    await thread.stub.invoke({ ...start(thread), ...(isTemporary === true && run === 0 && { isTemporary }) });
  // Nobody uses it for as long as it may stay.
  await thread.inside(({ storage }) => {
    storage.sql.exec("UPDATE thread SET created_at = 1, updated_at = 1");
    storage.sql.exec("UPDATE runs SET created_at = 1, started_at = 1, ended_at = 1");
    storage.sql.exec("DELETE FROM checkpoints");
  });
  return thread;
}

afterEach(() => {
  announcing.isOn = false;
  holdBucket();
  vi.restoreAllMocks();
});

describe("a run that waits for others to share its commit", () => {
  it("is kept out of an import that has begun meanwhile", async () => {
    const thread = await usedThread();
    const source = new TestThread();
    await source.invoke({ input: { log: ["large", "x".repeat(200_000)] } });
    const archive = await exported(source);
    await thread.delete();
    const [turn, upload] = [gateOfTurns(), new Gate()];
    const answer = thread.invoke({ input: { log: ["late"] } });
    const outcome = expect(answer).rejects.toMatchObject({ status: 409, code: "thread_busy" });
    await turn.reached();
    holdBucket(({ operation }) => (operation === "put" ? upload.pass() : undefined));
    const importing = importInto(thread, archive);
    await upload.reached();
    turn.open();
    await outcome;
    upload.open();
    await importing;
    expect((await thread.state()).values).toEqual((await source.state()).values);
    expect(await thread.rowCounts()).toMatchObject({ runs: 1, queue: 0 });
  });

  it("waits for a deletion that has begun meanwhile, and is one of a new thread", async () => {
    const thread = await usedThread("x".repeat(200_000));
    const [turn, removal] = [gateOfTurns(), new Gate()];
    const answer = thread.invoke({ input: { log: ["late"] } });
    await turn.reached();
    holdBucket(({ operation }) => (operation === "delete" ? removal.pass() : undefined));
    const deletion = thread.delete();
    await removal.reached();
    turn.open();
    await scheduler.wait(20);
    removal.open();
    expect(await deletion).toBe(204);
    expect((await answer).values).toEqual({ log: ["late", "n"] });
  });

  it("is one of a new thread where its thread was deleted meanwhile", async () => {
    const thread = await usedThread();
    const turn = gateOfTurns();
    const answer = thread.invoke({ input: { log: ["late"] } });
    await turn.reached();
    expect(await thread.delete()).toBe(204);
    turn.open();
    expect((await answer).values).toEqual({ log: ["late", "n"] });
    expect(await thread.rowCounts()).toMatchObject({ runs: 1, queue: 0, thread: 1 });
  });
});

describe("a run that waits while its thread is changed", () => {
  it("is refused to a caller who has lost access meanwhile", async () => {
    const thread = await usedThread();
    await patch(thread, { owner: "ann" });
    const turn = gateOfTurns();
    const answer = thread.stub.invoke({ ...start(thread), access: { owner: "ann" } });
    await turn.reached();
    await patch(thread, { owner: "bob" });
    turn.open();
    expect(await answer).toMatchObject({ ok: false, error: { code: "thread_not_found" } });
    expect(await thread.rowCounts()).toMatchObject({ runs: ALONE, queue: 0 });
  });

  it("is taken in for a caller who has got access meanwhile", async () => {
    const thread = await usedThread();
    await patch(thread, { owner: "ann" });
    const turn = gateOfTurns();
    const answer = thread.stub.invoke({ ...start(thread), access: { owner: "bob" } });
    await turn.reached();
    await patch(thread, { owner: "bob" });
    turn.open();
    expect(await answer).toMatchObject({ ok: true });
    expect(await thread.rowCounts()).toMatchObject({ runs: ALONE + 1, queue: 0 });
  });

  it.for([
    ["retention", { ttl: 60 }],
    ["the end of a temporary thread", { isTemporary: true }],
  ] as const)("is one of a new thread where %s has removed it meanwhile", async ([, made]) => {
    const thread = await shortLived(made);
    const turn = gateOfTurns();
    const answer = thread.invoke({ input: { log: ["late"] } });
    await turn.reached();
    await thread.fireAlarm();
    expect(await thread.tables()).toEqual([]);
    turn.open();
    expect((await answer).values).toEqual({ log: ["late", "n"] });
    expect(await thread.rowCounts()).toMatchObject({ runs: 1, queue: 0, thread: 1 });
  });

  it.for([
    ["retention", { ttl: 60 }],
    ["the end of a temporary thread", { isTemporary: true }],
  ] as const)("is refused where %s has removed it meanwhile and it must be there", async ([, made]) => {
    const thread = await shortLived(made);
    const turn = gateOfTurns();
    const answer = thread.stub.invoke({ ...start(thread), mustExist: true });
    await turn.reached();
    await thread.fireAlarm();
    turn.open();
    expect(await answer).toMatchObject({ ok: false, error: { code: "thread_not_found" } });
    expect(await thread.tables()).toEqual([]);
  });

  it("is not lost where its tenant is erased meanwhile: it is one of a new thread, which is found and can be erased", async () => {
    announcing.isOn = true;
    const tenant = crypto.randomUUID();
    const call = server({ auth: () => ({ tenant, caller: "", scopes: ["*"] }) }, {}, { plain });
    deploy({ plain });
    const threadId = crypto.randomUUID();
    const invoke = () => json(call(`/threads/${threadId}/invoke`, { body: { input: { log: ["a"] } } }));
    for (let run = 0; run < ALONE; run++) await invoke();
    const turn = gateOfTurns();
    const answer = invoke();
    await turn.reached();
    vi.restoreAllMocks();
    const erase = () => json(call("/tenant", { method: "DELETE" }));
    expect(await erase()).toMatchObject({ erased: true, threads_left: 0 });
    turn.open();
    expect(await answer).toMatchObject({ values: { log: ["a", "n"] } });
    const found = () => json(call("/threads/search", { body: {} }));
    await expect.poll(found).toMatchObject([{ thread_id: threadId, status: "idle" }]);
    expect(await erase()).toMatchObject({ erased: true, threads_left: 0 });
    expect(await found()).toEqual([]);
  });

  it("is one with another one that waits with the same key", async () => {
    const thread = await usedThread();
    const turn = gateOfTurns();
    const headers = { "content-type": "application/json", "idempotency-key": "once" };
    const body = JSON.stringify({ input: { log: ["late"] } });
    const send = () => json(request(`${thread.path}/invoke`, { method: "POST", headers, body }));
    const answers = [send(), send()];
    await turn.reached();
    await scheduler.wait(20);
    turn.open();
    const [first, second] = await Promise.all(answers);
    expect(second).toEqual(first);
    expect(await thread.rowCounts()).toMatchObject({ runs: ALONE + 1, queue: 0 });
  });
});
