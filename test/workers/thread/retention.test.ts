import { afterEach, describe, expect, it } from "vitest";
import { mintedAt } from "../../../src/checkpoint/id.ts";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { createRuntime } from "../../../src/worker.ts";
import { exported, importInto } from "../../support/archives.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { reports } from "../../support/reports.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy, retain } from "../graphs.ts";

const LEASE = 30_000;
const DAY = 86_400_000;

const answers = new StateGraph(Log)
  .addNode("answer", ({ log }) => ({ log: [`answer to ${log.at(-1)}`] }))
  .addEdge(START, "answer")
  .addEdge("answer", END)
  .compile();

const asks = new StateGraph(Log)
  .addNode("before", () => ({ log: ["before"] }))
  .addNode("ask", () => ({ log: [String(interrupt("ok?"))] }))
  .addEdge(START, "before")
  .addEdge("before", "ask")
  .addEdge("ask", END)
  .compile();

/** Three checkpoints a run. */
async function chat(thread: TestThread, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await thread.invoke({ input: { log: [`${turn}`] } });
}

/** Lets everything in the thread be older, as if so many milliseconds had gone by. */
async function age(thread: TestThread, time: number): Promise<void> {
  await thread.evict();
  await thread.sql("UPDATE runs SET created_at = created_at - ?, ended_at = ended_at - ?", time, time);
  await thread.sql("UPDATE thread SET created_at = created_at - ?", time);
  const rows = await thread.sql<{ id: ArrayBuffer }>("SELECT id FROM checkpoints ORDER BY id");
  for (const { id } of rows) {
    const aged = new Uint8Array(id.slice(0));
    shift(aged, time);
    for (const [table, column] of [
      ["checkpoints", "id"],
      ["checkpoints", "parent"],
      ["checkpoints", "base"],
      ["writes", "checkpoint"],
    ])
      await thread.sql(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`, aged.buffer, id);
  }
}

/** Of a UUID of version 6. */
function shift(id: Uint8Array, time: number): void {
  const view = new DataView(id.buffer);
  const ticks = ((view.getBigUint64(0) >> 16n) << 12n) | (view.getBigUint64(0) & 0xfffn);
  const next = ticks - BigInt(time) * 10_000n;
  view.setBigUint64(0, ((next >> 12n) << 16n) | 0x6000n | (next & 0xfffn));
}

afterEach(() => {
  retain({});
  holdBucket();
});

describe("a thread without retention", () => {
  it("keeps everything, and has no alarm", async () => {
    deploy({ answers });
    const thread = new TestThread();
    await chat(thread, 3);
    expect(await thread.alarm()).toBeNull();
    expect(await thread.history("?limit=100")).toHaveLength(9);
    expect(await thread.fireAlarm()).toBe(false);
  });
});

describe("keepLast", () => {
  it("is enforced by the object when it has been quiet for a while, and then there is no alarm", async () => {
    retain({ keepLast: 4 });
    deploy({ answers });
    const thread = new TestThread();
    await chat(thread, 4);
    expect(await thread.history("?limit=100")).toHaveLength(12);
    expect((await thread.alarm()) ?? 0).toBeGreaterThan(Date.now() + LEASE / 2);
    const before = await thread.history("?limit=4");
    await thread.fireAlarm();
    expect((await thread.history("?limit=100")).map(({ checkpoint }) => checkpoint)).toEqual(
      before.map(({ checkpoint }) => checkpoint),
    );
    expect(await thread.alarm()).toBeNull();
    expect(await thread.rowCounts()).toMatchObject({ checkpoints: 4, runs: 2 });
    await thread.evict();
    const { log } = (await thread.invoke({ input: { log: ["more"] } })).values;
    expect(log).toHaveLength(10);
    expect(await thread.alarm()).not.toBeNull();
  });

  it("leaves a paused thread all that it needs", async () => {
    retain({ keepLast: 1 });
    deploy({ asks });
    const thread = new TestThread();
    const paused = await thread.invoke({ input: { log: ["in"] } });
    await thread.fireAlarm();
    await thread.evict();
    expect(await thread.rowCounts()).toMatchObject({ checkpoints: 1, runs: 1 });
    expect((await thread.state()).interrupts).toEqual(paused.interrupts);
    const answer = await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes" });
    expect(answer.values).toEqual({ log: ["in", "before", "yes"] });
  });

  it("waits for a run that is going on, and for one that has just come", async () => {
    const gate = new Gate();
    retain({ keepLast: 1 });
    deploy({
      slow: new StateGraph(Log)
        .addNode("wait", async ({ log }) => {
          if (log.includes("wait")) await gate.pass();
          return { log: ["done"] };
        })
        .addEdge(START, "wait")
        .addEdge("wait", END)
        .compile(),
    });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    const running = thread.invoke({ input: { log: ["wait"] } });
    await gate.reached();
    await thread.fireAlarm();
    expect((await thread.rowCounts())["checkpoints"]).toBe(5);
    gate.open();
    expect((await running).values).toEqual({ log: ["in", "done", "wait", "done"] });
    await thread.fireAlarm();
    expect((await thread.rowCounts())["checkpoints"]).toBe(1);
  });

  it("removes what is large and nothing needs any more, also of ended runs", async () => {
    retain({ keepLast: 1 });
    deploy({
      drops: new StateGraph(Log)
        .addNode("drop", ({ log }) => ({ log: [`${log.at(-1)?.length}`] }))
        .addEdge(START, "drop")
        .addEdge("drop", END)
        .compile(),
    });
    const thread = new TestThread();
    const big = (letter: string) => letter.repeat(300_000);
    await expect(thread.invoke({ input: { nothing: big("r") } })).rejects.toMatchObject({
      code: "invalid_input",
    });
    await thread.invoke({ input: { log: [big("a")] } });
    await expect(thread.invoke({ input: { nothing: big("r") } })).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(await thread.objects()).toHaveLength(2);
    await thread.fireAlarm();
    expect(await thread.objects()).toHaveLength(1);
    await thread.evict();
    expect((await thread.state()).values["log"]).toEqual([big("a"), "300000"]);
  });

  it("is tried again when the bucket fails", async () => {
    retain({ keepLast: 1 });
    deploy({ answers });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["x".repeat(300_000)] } });
    holdBucket(({ operation }) => (operation === "list" ? Promise.reject(new Error("outage")) : undefined));
    const before = reports().length;
    await thread.fireAlarm();
    expect(reports().length).toBe(before + 1);
    expect((await thread.alarm()) ?? 0).toBeGreaterThan(Date.now());
    holdBucket();
    await thread.fireAlarm();
    expect(await thread.alarm()).toBeNull();
    expect((await thread.rowCounts())["checkpoints"]).toBe(1);
  });
});

describe("a thread that cannot be pruned", () => {
  it("is tried again after as long as it has been quiet, and once a day at last", async () => {
    retain({ keepLast: 1 });
    deploy({ answers });
    const thread = new TestThread();
    await chat(thread, 2);
    await thread.sql("UPDATE checkpoints SET body = x'ff'");
    const isDueIn = async (time: number) => {
      const before = reports().length;
      await thread.fireAlarm();
      expect(reports().slice(before)).toMatchObject([{ code: "undecodable" }]);
      expect(Math.abs(((await thread.alarm()) ?? 0) - Date.now() - time)).toBeLessThan(10_000);
    };
    await thread.evict();
    await isDueIn(LEASE);
    await age(thread, 3_600_000);
    await isDueIn(3_600_000);
    await age(thread, 40 * DAY);
    await isDueIn(DAY);
    expect((await thread.rowCounts())["checkpoints"]).toBe(6);
  });
});

describe("maxAge", () => {
  it("removes what is older, and sets the alarm for what gets so next", async () => {
    retain({ maxAge: DAY });
    deploy({ answers });
    const thread = new TestThread();
    await chat(thread, 2);
    await age(thread, DAY + 1000);
    await chat(thread, 1);
    await thread.fireAlarm();
    const history = await thread.history("?limit=100");
    expect(history).toHaveLength(3);
    expect(await thread.rowCounts()).toMatchObject({ runs: 1 });
    const oldest = mintedAt(history[2]?.checkpoint.checkpoint_id ?? "") ?? 0;
    expect(await thread.alarm()).toBe(Math.floor(oldest + DAY));
    await age(thread, 2 * DAY);
    await thread.fireAlarm();
    expect(await thread.history("?limit=100")).toHaveLength(1);
    expect(await thread.alarm()).toBeNull();
    expect((await thread.state()).values["log"]).toHaveLength(6);
  });
});

describe("deleteAfter (TTL-05)", () => {
  it("counts from the last run or edit, and leaves nothing (TTL-01)", async () => {
    retain({ deleteAfter: DAY });
    deploy({ answers });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["x".repeat(300_000)] } });
    for (let use = 0; use < 6; use++) {
      await age(thread, 60_000_000);
      if (use % 2 === 0) await thread.invoke({ input: { log: ["again"] } });
      else await thread.update({ values: { log: ["edit"] }, as_node: "answer" });
      const due = (await thread.alarm()) ?? 0;
      expect(Math.abs(due - Date.now() - DAY)).toBeLessThan(10_000);
      await thread.fireAlarm();
      expect((await thread.state()).values["log"]).not.toHaveLength(0);
    }
    await age(thread, DAY + 1000);
    await thread.state();
    await thread.fireAlarm();
    await until(async () => (await thread.tables()).length === 0);
    expect(await thread.objects()).toEqual([]);
    expect(await thread.alarm()).toBeNull();
    await expect(thread.state()).rejects.toMatchObject({ code: "thread_not_found" });
  });

  it("counts from when a thread was copied or imported, however old what it holds is", async () => {
    deploy({ answers });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    await age(thread, 2 * DAY);
    retain({ deleteAfter: DAY });
    const [copy, imported] = [new TestThread(), new TestThread()];
    await json(thread.post("/copy", { thread_id: copy.id }));
    await importInto(imported, await exported(thread));
    for (const made of [copy, imported]) {
      await made.fireAlarm();
      expect((await made.state()).values["log"]).toEqual(["in", "answer to in"]);
      expect(Math.abs(((await made.alarm()) ?? 0) - Date.now() - DAY)).toBeLessThan(10_000);
    }
  });

  it("holds beside the others", async () => {
    retain({ keepLast: 2, deleteAfter: DAY });
    deploy({ asks });
    const thread = new TestThread();
    await thread.invoke({ input: { log: [] } });
    await thread.fireAlarm();
    expect((await thread.rowCounts())["checkpoints"]).toBe(2);
    expect(Math.abs(((await thread.alarm()) ?? 0) - Date.now() - DAY)).toBeLessThan(10_000);
    await age(thread, DAY + 1000);
    await thread.fireAlarm();
    expect(await thread.tables()).toEqual([]);
  });
});

describe("a thread's own ttl, in minutes", () => {
  const made = async (body: object) => {
    retain({ deleteAfter: 10 * DAY });
    deploy({ answers });
    const response = await request("/threads", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const wire = (await json(response)) as { readonly thread_id: string; readonly ttl?: object };
    return { wire, thread: new TestThread(wire.thread_id) };
  };

  it("goes before that of the runtime, is told, and counts from the last use", async () => {
    const { wire, thread } = await made({ ttl: 60 });
    expect(wire.ttl).toMatchObject({ strategy: "delete", ttl_minutes: 60 });
    await age(thread, 3_000_000);
    await thread.invoke({ input: { log: [] } });
    await age(thread, 3_000_000);
    await thread.fireAlarm();
    expect(await thread.get("?include=ttl")).toMatchObject({ ttl: { ttl_minutes: 60 } });
    await age(thread, 700_000);
    await thread.fireAlarm();
    expect(await thread.tables()).toEqual([]);
  });

  it("lets an edit that is under way come first", async () => {
    const { thread } = await made({ ttl: 60 });
    await thread.invoke({ input: { log: [] } });
    await age(thread, 3_700_000);
    const gate = new Gate();
    holdBucket(({ operation }) => (operation === "put" ? gate.pass() : undefined));
    const edited = thread.update({ values: { log: ["x".repeat(300_000)] }, as_node: "answer" });
    await gate.reached();
    const fired = thread.fireAlarm();
    await scheduler.wait(100);
    gate.open();
    await Promise.all([edited, fired]);
    expect((await thread.state()).values["log"]).toContain("x".repeat(300_000));
    await age(thread, 3_700_000);
    await thread.fireAlarm();
    expect(await thread.tables()).toEqual([]);
  });

  it("is given to a thread, and taken from the time of that on", async () => {
    const { wire, thread } = await made({});
    expect(wire).not.toHaveProperty("ttl");
    const patched = await request(thread.path, {
      method: "PATCH",
      headers: { "content-type": "application/json", prefer: "return=minimal" },
      body: JSON.stringify({ ttl: { ttl: 2, strategy: "delete" } }),
    });
    expect([patched.status, await patched.text()]).toEqual([204, ""]);
    const due = (await thread.alarm()) ?? 0;
    expect(Math.abs(due - Date.now() - 120_000)).toBeLessThan(10_000);
    expect(await thread.get("")).toMatchObject({ ttl: { ttl_minutes: 2 } });
  });

  it.each([{ ttl: 0 }, { ttl: -1 }, { ttl: { ttl: 1, strategy: "keep_latest" } }, { ttl: "1" }])(
    "is not %j",
    async (body) => {
      await expect(made(body)).rejects.toMatchObject({ code: "invalid_request" });
    },
  );
});

it.each([{ keepLast: 0 }, { keepLast: 1.5 }, { maxAge: -1 }, { deleteAfter: NaN }])(
  "a retention of %j is refused when the runtime is made",
  (retention) => {
    expect(() => createRuntime({ graphs: { answers }, retention })).toThrow(
      expect.objectContaining({ code: "invalid_retention" }) as Error,
    );
  },
);
