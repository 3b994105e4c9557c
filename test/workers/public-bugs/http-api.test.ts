import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph, waitForEvent } from "../../../src/index.ts";
import { signed } from "../../support/signed-deliveries.ts";
import { until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { server } from "../http/auth/server.ts";
import { deploy } from "../graphs.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: the HTTP API. */

const asking = new StateGraph(Log)
  .addNode("ask", () => ({ log: [interrupt<string, string>("?")] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

describe("HTT-01: an input that is empty, null or absent", () => {
  it.for(["/invoke", "/runs/wait"])("is not the same: %s of a thread that is new", async (path) => {
    deploy({ asking });
    for (const body of [{}, { input: null }]) {
      const refused = json(new TestThread().post(path, body));
      await expect(refused).rejects.toMatchObject({ status: 404, code: "thread_not_found" });
    }
    const begun = await json(new TestThread().post(path, { input: {} }));
    expect(JSON.stringify(begun)).toContain('"value":"?"');
  });

  it("goes on with a thread that is paused or finished, and changes neither", async () => {
    deploy({ asking });
    const thread = new TestThread();
    const paused = await thread.invoke({ input: {} });
    for (const body of [{}, { input: null }])
      expect(await thread.invoke(body)).toMatchObject({ interrupts: paused.interrupts });
    const done = await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes" });
    for (const body of [{}, { input: null }]) {
      expect(await thread.invoke(body)).toMatchObject({ status: "success", values: done.values });
    }
    expect(await thread.history()).toHaveLength(3);
    expect(await thread.invoke({ input: {} })).toMatchObject({
      status: "interrupted",
      values: { log: ["yes"] },
    });
  });

  it("with keys that the graph does not know stores none of them", async () => {
    deploy({ asking });
    const thread = new TestThread();
    const answer = await json(thread.post("/invoke", { input: { nobody: "s3cr3t" } })).catch(
      ({ code }) => code,
    );
    expect(JSON.stringify(answer)).not.toContain("s3cr3t");
    expect(JSON.stringify(await thread.history().catch(() => []))).not.toContain("s3cr3t");
  });
});

it("HTT-03: what a call leaves out does not undo what the graph was compiled with", async () => {
  const seen: unknown[] = [];
  const graph = new StateGraph(Log)
    .addNode("step", (_, { tags, metadata }) => {
      seen.push({ tags, team: metadata?.["team"] });
      return { log: ["."] };
    })
    .addNode("last", () => ({ log: ["end"] }))
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ log }) => (log.length < 60 ? "step" : "last"))
    .addEdge("last", END)
    .compile({ interruptBefore: ["last"] })
    .withConfig({ recursionLimit: 200, tags: ["own"], metadata: { team: "a" } });
  deploy({ graph });
  for (const path of ["/invoke", "/runs/wait"]) {
    const thread = new TestThread();
    await json(thread.post(path, { input: {} }));
    expect(await thread.state()).toMatchObject({ next: ["last"] });
  }
  expect(seen).toHaveLength(120);
  expect(seen).toContainEqual({ tags: expect.arrayContaining(["own"]), team: "a" });
  expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(1);
});

it("HTT-07: ids that differ in the case of a letter are two threads by HTTP, by alarm and by webhook", async () => {
  const graph = new StateGraph(Log)
    .addNode("wait", () => ({ log: [waitForEvent<{ amount: number }>("paid").timedOut ? "late" : "paid"] }))
    .addEdge(START, "wait")
    .addEdge("wait", END)
    .compile();
  deploy({ graph });
  const id = crypto.randomUUID();
  const [upper, lower] = [new TestThread(`A${id}`), new TestThread(`a${id}`)];
  for (const thread of [upper, lower])
    await json(thread.post("/runs", { input: { log: [thread.id] }, after_seconds: 600 }));
  await upper.fireAlarm();
  await until(async () => (await upper.state()).next[0] === "wait");
  expect(await lower.state()).toMatchObject({ values: {}, next: [] });

  const body = JSON.stringify({ thread: upper.id, id: "1", amount: 1 });
  const headers = await signed["github"]?.(body);
  await json(request("/webhooks/github", { method: "POST", ...(headers && { headers }), body }));
  await until(async () => (await upper.state()).next.length === 0);
  expect(await upper.state()).toMatchObject({ values: { log: [upper.id, "paid"] } });
  await lower.fireAlarm();
  await until(async () => (await lower.state()).next[0] === "wait");
  expect(await lower.state()).toMatchObject({ values: { log: [lower.id] } });
});

it("HTT-09: another origin leaves the other headers for pages as they are", async () => {
  const origin = "https://app.example.com";
  const call = server({ auth: () => undefined, origins: [origin] });
  const preflight = await call("/threads/x/runs", {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,x-api-key,content-type,idempotency-key",
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
  expect(preflight.headers.get("access-control-allow-methods")).toMatch(/POST/);
  for (const header of ["authorization", "x-api-key", "content-type", "idempotency-key"]) {
    expect(preflight.headers.get("access-control-allow-headers")).toContain(header);
  }
  const answer = await call("/ok", { headers: { origin } });
  for (const header of ["location", "content-location", "x-pagination-total", "x-pagination-next"]) {
    expect(answer.headers.get("access-control-expose-headers")).toContain(header);
  }
  expect(
    (await request("/ok", { headers: { origin: "http://localhost:3000" } })).headers.get(
      "access-control-allow-origin",
    ),
  ).toBe("http://localhost:3000");
});

describe("HTT-11: a checkpoint that a body names", () => {
  it("is the same in all places, and of the thread of the path", async () => {
    deploy({ asking });
    const thread = new TestThread();
    const { checkpoint_id: first } = await thread.invoke({ input: { log: ["1"] } });
    await thread.update({ values: { log: ["2"] }, as_node: "ask" });
    const places = [
      { checkpoint_id: first },
      { checkpoint: { checkpoint_id: first } },
      { checkpoint: { checkpoint_id: first, thread_id: thread.id, checkpoint_ns: "" } },
      { config: { configurable: { checkpoint_id: first } } },
      { config: { configurable: { checkpoint_id: first, thread_id: thread.id } } },
    ];
    for (const place of places) {
      await json(thread.post("/runs/wait", { input: null, ...place }));
      expect(await thread.state(), JSON.stringify(place)).toMatchObject({
        values: { log: ["1"] },
        next: ["ask"],
      });
      await thread.update({ values: { log: ["2"] }, as_node: "ask" });
    }
  });

  it("of another thread is refused, and nothing is changed", async () => {
    deploy({ asking });
    const [thread, other] = [new TestThread(), new TestThread()];
    const { checkpoint_id: id } = await thread.invoke({ input: { log: ["1"] } });
    await other.invoke({ input: { log: ["other"] } });
    const before = await thread.history();
    const checkpoint = { checkpoint_id: id, thread_id: other.id };
    const config = { configurable: { thread_id: other.id } };
    for (const [path, body] of [
      ["/invoke", { config }],
      ["/stream", { config }],
      ["/invoke", { config: { configurable: { checkpoint_ns: "ask" } } }],
      ["/runs", { config }],
      ["/runs", { checkpoint }],
      ["/runs/wait", { checkpoint }],
      ["/runs/stream", { checkpoint }],
      ["/runs", { checkpoint_id: id, config: { configurable: { checkpoint_id: "another" } } }],
      ["/state", { values: { log: ["x"] }, checkpoint }],
      ["/state/checkpoint", { checkpoint }],
      ["/history", { checkpoint }],
    ] as const) {
      const refused = json(thread.post(path, body));
      await expect(refused, path).rejects.toMatchObject({ status: 400, code: "invalid_request" });
    }
    expect(await thread.history()).toEqual(before);
  });
});
