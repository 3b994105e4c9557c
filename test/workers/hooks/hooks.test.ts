import { afterEach, describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { webhookHeaders } from "../../../src/hooks/webhook-signature.ts";
import { mintHook, readHook } from "../../../src/hooks/hook-token.ts";
import { crashAt } from "../../support/crash-points.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { answerLink, ToldThread } from "../../support/told-thread.ts";
import { deploy, graphWebhooks, hookKeys, receivers, retain, webhookSecrets } from "../graphs.ts";

/** Two questions in a row. */
const approval = new StateGraph(Log)
  .addNode("small", () => ({ log: [`small: ${String(interrupt("approve 10?"))}`] }))
  .addNode("large", () => ({ log: [`large: ${String(interrupt("approve <10,000>?"))}`] }))
  .addEdge(START, "small")
  .addEdge("small", "large")
  .addEdge("large", END)
  .compile();

async function pause(thread: ToldThread, behaviour = "ok"): Promise<void> {
  deploy({ approval });
  await thread.tell(behaviour);
}

afterEach(() => {
  holdBucket();
  receivers.splice(0, receivers.length, "receiver");
  delete graphWebhooks["approval"];
  retain({});
});

describe("a run with a webhook", () => {
  it("tells it of its question with a link that answers it, and of its result", async () => {
    const thread = new ToldThread();
    await pause(thread);
    const [paused] = await thread.messages(1);
    expect(paused).toMatchObject({
      type: "run.paused",
      data: {
        thread_id: thread.id,
        status: "interrupted",
        values: { log: [] },
        next: ["small"],
        interrupts: [{ value: "approve 10?", expires_at: expect.stringMatching(/Z$/) }],
      },
    });
    const [{ headers, body } = { headers: {}, body: "" }] = await thread.received();
    const time = Number(headers["webhook-timestamp"]) * 1000;
    expect(headers).toMatchObject(
      await webhookHeaders(webhookSecrets, { id: headers["webhook-id"] ?? "", time, body }),
    );
    expect(Math.abs(time - Date.now())).toBeLessThan(60_000);

    expect(await json(answerLink(await thread.link(), "yes"))).toEqual({ accepted: true });
    expect(await json(answerLink(await thread.link(2), { ok: true }))).toEqual({ accepted: true });
    const ended = (await thread.messages(3)).at(-1);
    const log = ["small: yes", "large: [object Object]"];
    expect(ended).toMatchObject({
      type: "run.ended",
      data: { status: "success", values: { log }, interrupts: [] },
    });
    await thread.settles("delivered");
    expect(await thread.deliveries()).toHaveLength(3);
    const ids = (await thread.received()).map((message) => message.headers["webhook-id"]);
    expect(new Set(ids).size).toBe(3);
    expect(await thread.alarm()).toBeNull();
  });

  it("tells whoever reads it the origin alone: the rest is often a key", async () => {
    deploy({ approval });
    const thread = new ToldThread();
    const webhook = `${thread.webhook()}?token=secret`;
    const told = await json(thread.post("/runs", { input: { log: [] }, webhook }));
    expect(told).toMatchObject({ kwargs: { webhook: new URL(webhook).origin } });
    expect(await thread.messages(1)).toMatchObject([{ type: "run.paused" }]);
  });

  it("that fails tells that", async () => {
    const graph = new StateGraph(Log)
      .addNode("bad", () => {
        throw new Error("no luck");
      })
      .addEdge(START, "bad")
      .compile();
    deploy({ graph });
    const thread = new ToldThread();
    await thread.post("/invoke", { input: { log: [] }, webhook: thread.webhook() });
    expect(await thread.messages(1)).toMatchObject([
      { type: "run.ended", data: { status: "error", error: { code: "node_failed" } } },
    ]);
  });

  it("need not bring it where the graph has one", async () => {
    const thread = new ToldThread();
    deploy({ approval });
    graphWebhooks["approval"] = thread.webhook();
    await thread.invoke({ input: { log: [] } });
    expect(await thread.messages(1)).toMatchObject([{ type: "run.paused", data: { thread_id: thread.id } }]);
  });

  it("is refused when that may not be told, and nothing is stored", async () => {
    deploy({ approval });
    const thread = new TestThread();
    for (const webhook of ["http://receiver:81/", "https://127.1/", "https://user@example.com/", "x"]) {
      const refused = json(thread.post("/runs", { input: { log: [] }, webhook }));
      await expect(refused).rejects.toMatchObject({ status: 400, code: "invalid_webhook" });
    }
    expect(await thread.tables()).toEqual([]);
  });
});

describe("a delivery", () => {
  it("is tried again after a while, as the same message", async () => {
    const thread = new ToldThread();
    await pause(thread, "flaky");
    await thread.messages(1);
    await until(async () => (await thread.deliveries())[0]?.["response"] === 500);
    const due = ((await thread.alarm()) ?? 0) - Date.now();
    expect(due).toBeGreaterThan(1000);
    expect(due).toBeLessThanOrEqual(5000);
    await thread.sql("UPDATE timers SET due = 1");
    await thread.fireAlarm();
    expect(await thread.settles("delivered")).toMatchObject({ attempts: 2, response: 200, error: null });
    const [first, second] = await thread.received();
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  });

  it("holds the object in memory no longer than it takes", async () => {
    const thread = new ToldThread();
    await pause(thread, "flaky");
    await until(async () => (await thread.deliveries())[0]?.["response"] === 500);
    await thread.sql("UPDATE timers SET due = 1");
    await thread.fireAlarm();
    await thread.settles("delivered");
    const delivered = Date.now();
    await thread.evict();
    expect(Date.now() - delivered).toBeLessThan(5000);
  });

  it.each([
    // What was noted in that turn is lost with it, and nothing has been sent.
    ["delivery.begun", 0],
    ["delivery.answered", 1],
  ] as const)("is made good when the object is stopped at %s", async (point, attempts) => {
    const thread = new ToldThread();
    const hasCrashed = crashAt(point, thread.id);
    await pause(thread);
    await until(hasCrashed);
    expect(await thread.deliveries()).toMatchObject([{ status: "pending", attempts }]);
    await thread.sql("UPDATE timers SET due = 1");
    await thread.fireAlarm();
    expect(await thread.settles("delivered")).toMatchObject({ attempts: attempts + 1 });
    const received = await thread.received();
    expect(received).toHaveLength(attempts + 1);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("is given up after the last attempt, and says so", async () => {
    const thread = new ToldThread();
    await pause(thread, "down");
    await until(async () => (await thread.deliveries())[0]?.["response"] === 500);
    await thread.sql("UPDATE deliveries SET attempts = 7");
    await thread.sql("UPDATE timers SET due = 1");
    await thread.fireAlarm();
    expect(await thread.settles("failed")).toMatchObject({
      attempts: 8,
      response: 500,
      ended_at: expect.any(String),
    });
    expect(await thread.alarm()).toBeNull();
  });

  it("is given up when the object is stopped in the last attempt too", async () => {
    const thread = new ToldThread();
    await pause(thread, "down");
    await until(async () => (await thread.deliveries())[0]?.["response"] === 500);
    await thread.sql("UPDATE deliveries SET attempts = 8");
    await thread.sql("UPDATE timers SET due = 1");
    await thread.fireAlarm();
    expect(await thread.settles("failed")).toMatchObject({ attempts: 8, error: "unreachable" });
    expect(await thread.received()).toHaveLength(1);
    expect(await thread.alarm()).toBeNull();
  });

  it("follows no redirect, and ends where the receiver is gone", async () => {
    const thread = new ToldThread();
    await pause(thread, "redirect");
    await until(async () => (await thread.deliveries())[0]?.["response"] === 307);
    expect(await (await fetch("http://receiver/received/elsewhere")).json()).toEqual([]);
    const gone = new ToldThread();
    await pause(gone, "gone");
    expect(await gone.settles("failed")).toMatchObject({ attempts: 1, response: 410 });
  });

  it("is checked again when it is sent", async () => {
    const thread = new ToldThread();
    receivers.push("receiver");
    deploy({ approval });
    const started = thread.invoke({ input: { log: [] }, webhook: thread.webhook("flaky") });
    await started;
    await until(async () => (await thread.deliveries())[0]?.["response"] === 500);
    receivers.length = 0;
    await thread.sql("UPDATE timers SET due = 1");
    await thread.fireAlarm();
    await until(async () => (await thread.deliveries())[0]?.["error"] === "invalid_webhook");
    expect(await thread.received()).toHaveLength(1);
  });

  it("goes with its run", async () => {
    const thread = new ToldThread();
    await pause(thread);
    await thread.settles("delivered");
    await thread.invoke({ input: { log: [] }, on_interrupted: "discard" });
    await json(thread.post("/prune", {}));
    expect(await thread.deliveries()).toEqual([]);
  });

  it("keeps its run and thread until it has ended, unless they are deleted by name", async () => {
    const thread = new ToldThread();
    const day = 86_400_000;
    await pause(thread, "down");
    await until(async () => (await thread.deliveries())[0]?.["response"] === 500);
    await thread.invoke({ input: { log: [] }, on_interrupted: "discard" });
    await json(thread.post("/prune", {}));
    expect(await thread.deliveries()).toMatchObject([{ status: "pending" }]);
    retain({ deleteAfter: day });
    await thread.sql("UPDATE timers SET due = ?", Date.now() + day);
    await thread.sql("UPDATE runs SET created_at = 1, ended_at = 1");
    await thread.sql("INSERT INTO timers (kind, id, due) VALUES ('retention', '', 1)");
    await thread.fireAlarm();
    const [delivery] = await thread.deliveries();
    expect(delivery).toMatchObject({ status: "pending" });
    expect((await thread.sql("SELECT due FROM timers WHERE kind = 'retention'"))[0]?.["due"]).toBeGreaterThan(
      Date.now() + 1.5 * day,
    );
    await request(`${thread.path}/runs/${String(delivery?.["run_id"])}`, { method: "DELETE" });
    expect(await thread.deliveries()).toEqual([]);
  });
});

describe("a link", () => {
  it("shows a page that asks for a click, and is answered by a form", async () => {
    const thread = new ToldThread();
    await pause(thread);
    await json(answerLink(await thread.link(), "yes"));
    const link = await thread.link(2);
    for (const method of ["GET", "HEAD", "GET"]) {
      const page = await request(link, { method });
      expect(page.status).toBe(200);
      expect(Object.fromEntries(page.headers)).toMatchObject({
        "content-type": "text/html; charset=UTF-8",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-robots-tag": "noindex, nofollow",
        "content-security-policy": expect.stringContaining("default-src 'none'"),
      });
      const text = await page.text();
      if (method === "GET") expect(text).toContain("approve &#60;10,000&#62;?");
    }
    expect((await thread.state()).next).toEqual(["large"]);
    const sent = await request(link, { method: "POST", body: new URLSearchParams({ value: "not json" }) });
    expect(sent.status).toBe(200);
    expect(await sent.text()).toContain("Your answer was taken");
    await until(async () => (await thread.state()).next.length === 0);
    expect((await thread.state()).values).toEqual({ log: ["small: yes", "large: not json"] });
    const again = await request(link);
    expect(again.status).toBe(409);
    expect(await again.text()).not.toContain(thread.id);
  });

  it("is good for one answer, however often that is sent", async () => {
    const thread = new ToldThread();
    await pause(thread);
    const link = await thread.link();
    const replies = await Promise.all(Array.from({ length: 100 }, () => answerLink(link, "yes")));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const others = replies.filter(({ status }) => status !== 200);
    for (const reply of others)
      await expect(json(reply)).rejects.toMatchObject({ status: 409, code: "hook_used" });
    await until(async () => (await thread.state()).next[0] === "large");
    expect((await thread.state()).values).toEqual({ log: ["small: yes"] });
    expect((await thread.rowCounts())["runs"]).toBe(2);
    expect(await thread.history()).toHaveLength(3);
  });

  it("is good for one answer when all of them are under way at once", async () => {
    const thread = new ToldThread();
    await pause(thread);
    const hook = await readHook(hookKeys, (await thread.link()).split("/").at(-1) ?? "", Date.now());
    const { stub } = thread;
    // What goes to the bucket has to be waited for: the calls get in between each other.
    const large = ["a", "b"].map((text) => text.repeat(200_000));
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => stub.answerHook(hook, crypto.randomUUID(), large[n % 2])),
    );
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
    const used = { ok: false, error: { code: "hook_used" } };
    for (const reply of replies) if (!reply.ok) expect(reply).toMatchObject(used);
    await until(async () => (await thread.state()).next[0] === "large");
    expect((await thread.rowCounts())["runs"]).toBe(2);
  });

  it("is revoked when the question is gone: answered elsewhere, edited, or with its thread", async () => {
    const revoked = { status: 410, code: "hook_revoked", details: {} };
    const answered = new ToldThread();
    await pause(answered);
    const link = await answered.link();
    const [question] = (await answered.state()).interrupts;
    await answered.resume({ interrupt_id: question?.id, value: "yes" });
    await expect(json(answerLink(link, "yes"))).rejects.toMatchObject(revoked);
    expect((await answered.state()).next).toEqual(["large"]);

    const edited = new ToldThread();
    await pause(edited);
    await edited.update({ values: { log: ["edit"] } });
    await expect(json(answerLink(await edited.link(), "yes"))).rejects.toMatchObject(revoked);

    const deleted = new ToldThread();
    await pause(deleted);
    const lost = await deleted.link();
    await deleted.delete();
    await expect(json(answerLink(lost, "yes"))).rejects.toMatchObject(revoked);
    expect(await deleted.tables()).toEqual([]);
  });

  it("accepts nothing while a run that may drop the question is under way", async () => {
    const thread = new ToldThread();
    await pause(thread);
    const link = await thread.link();
    const gate = new Gate();
    holdBucket(({ operation }) => (operation === "get" ? gate.pass() : undefined));
    const large = { log: ["n".repeat(2_500_000)] };
    const other = thread.invoke({ input: large, on_interrupted: "discard" });
    await gate.reached();
    const busy = { status: 409, code: "thread_busy", details: {} };
    await expect(json(answerLink(link, "yes"))).rejects.toMatchObject(busy);
    expect(await thread.rowCounts()).toMatchObject({ answers: 0 });
    gate.open();
    holdBucket();
    await other;
    await expect(json(answerLink(link, "yes"))).rejects.toMatchObject({ code: "hook_revoked" });
    expect((await thread.rowCounts())["runs"]).toBe(2);
  });

  it("accepts nothing while an edit is under way, or waits for another one: what was accepted is never dropped", async () => {
    const thread = new ToldThread();
    await pause(thread);
    const link = await thread.link();
    const gate = new Gate();
    holdBucket(({ operation }) => (operation === "put" ? gate.pass() : undefined));
    const edits = [thread.update({ values: { log: ["n".repeat(200_000)] } })];
    await gate.reached();
    edits.push(thread.update({ values: { log: ["second"] } }));
    await expect(json(answerLink(link, "yes"))).rejects.toMatchObject({ status: 409, code: "thread_busy" });
    expect(await thread.rowCounts()).toMatchObject({ answers: 0 });
    gate.open();
    await Promise.all(edits);
    await expect(json(answerLink(link, "yes"))).rejects.toMatchObject({ code: "hook_revoked" });
    expect((await thread.rowCounts())["runs"]).toBe(1);
  });

  it("is worth nothing when it is forged, or its time is over", async () => {
    const thread = new ToldThread();
    await pause(thread);
    const link = await thread.link();
    const forged = `${link.slice(0, -3)}AAA`;
    for (const path of [forged, "/hooks/x", "/hooks/"]) {
      const reply = await answerLink(path, "yes");
      expect([401, 404]).toContain(reply.status);
      expect(await reply.text()).not.toContain(thread.id);
    }
    const page = await request(forged);
    expect(page.status).toBe(401);
    expect(page.headers.get("content-type")).toContain("text/html");
    const hook = await readHook(hookKeys, link.split("/").at(-1) ?? "", Date.now());
    const old = await mintHook(hookKeys, { ...hook, expires: Date.now() - 1 });
    const expired = { status: 410, code: "hook_expired" };
    await expect(json(answerLink(`/hooks/${old}`, "yes"))).rejects.toMatchObject(expired);
    expect((await thread.state()).next).toEqual(["small"]);
  });
});
