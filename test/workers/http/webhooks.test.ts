import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { START, StateGraph, waitForEvent } from "../../../src/index.ts";
import { until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { request, TestThread } from "../../support/threads.ts";
import { hex, hmac, signed, TIME } from "../../support/signed-deliveries.ts";
import { createRuntime, type WebhookSource } from "../../../src/worker.ts";
import { deploy, deployed } from "../graphs.ts";

async function deliver(
  source: string,
  body: string,
  headers: Record<string, string>,
): Promise<[number, unknown]> {
  const response = await request(`/webhooks/${source}`, { method: "POST", headers, body });
  return [response.status, await response.json()];
}

async function waiting(): Promise<TestThread> {
  const graph = new StateGraph(Log)
    .addNode("listen", () => {
      const { payload } = waitForEvent<{ amount: number }>("paid");
      return { log: [String(payload.amount)] };
    })
    .addEdge(START, "listen")
    .compile();
  deploy({ graph });
  const thread = new TestThread();
  await thread.invoke({ input: { log: [] } });
  return thread;
}

/** What a source that is configured so answers to a delivery. */
async function deliverTo(
  source: Partial<Record<keyof WebhookSource, () => unknown>>,
): Promise<[number, unknown]> {
  const signing = { verify: () => true, route: () => undefined, ...source } as WebhookSource;
  const runtime = createRuntime({ graphs: { ...deployed }, webhooks: { own: signing } });
  const delivery = new Request("http://localhost/webhooks/own", { method: "POST", body: "{}" });
  const response = await runtime.fetch(delivery, env, createExecutionContext());
  return [response.status, await response.json()];
}

describe("a source of webhooks", () => {
  it.for(["forged", 1, {}, [], null, undefined])("that verifies with %j lets nobody in", async (verdict) => {
    const thread = await waiting();
    const event = { thread: thread.id, key: "paid", id: "d1", payload: { amount: 1 } };
    const answer = await deliverTo({ verify: async () => verdict, route: () => event });
    expect(answer).toMatchObject([401, { error: { code: "invalid_signature" } }]);
    expect(await thread.rowCounts()).toMatchObject({ received_events: 0 });
  });

  it.for([
    {},
    "thread",
    { id: undefined },
    { id: "" },
    { id: 7 },
    { key: undefined },
    { thread: 7 },
    { tenant: 7 },
    { tenant: "a\nb" },
  ])("that takes a delivery for the event %j is at fault, and the delivery may come again", async (wrong) => {
    const thread = await waiting();
    const event = { thread: thread.id, key: "paid", id: "d1", payload: { amount: 1 } };
    const isPart = typeof wrong === "object" && Object.keys(wrong).length > 0;
    const answer = await deliverTo({ route: () => (isPart ? { ...event, ...wrong } : wrong) });
    expect(answer).toMatchObject([500, { error: { code: "invalid_webhook_source" } }]);
    expect(await thread.rowCounts()).toMatchObject({ received_events: 0 });
    expect(await deliverTo({ route: async () => event })).toMatchObject([200, { status: "delivered" }]);
  });

  it.for([undefined, null])("that takes a delivery for %j ignores it", async (none) => {
    expect(await deliverTo({ route: () => none })).toEqual([200, { status: "ignored" }]);
  });

  it.each(Object.entries(signed))("delivers what it has signed, once: %s", async (source, sign) => {
    const thread = await waiting();
    const body = JSON.stringify({ thread: thread.id, id: "d1", amount: 12 });
    const answers = await Promise.all([1, 2, 3].map(async () => deliver(source, body, await sign(body))));
    const [status, receipt] = answers[0] ?? [];
    expect(status).toBe(200);
    expect(receipt).toMatchObject({ status: "delivered" });
    for (const answer of answers) expect(answer).toEqual([200, receipt]);
    await until(async () => (await thread.state()).next.length === 0);
    expect((await thread.state()).values["log"]).toEqual(["12"]);
    expect(await thread.rowCounts()).toMatchObject({ received_events: 1, runs: 2 });
    // The same id of another sender is another event.
    const other = source === "github" ? "stripe" : "github";
    const again = await deliver(other, body, (await signed[other]?.(body)) ?? {});
    expect(again).toMatchObject([200, { status: "kept" }]);
  });

  it("is refused what it has not signed, or too long ago, and nothing changes", async () => {
    const thread = await waiting();
    const before = await thread.rowCounts();
    const body = JSON.stringify({ thread: thread.id, id: "d1", amount: 12 });
    const forged: [string, Record<string, string>][] = [
      ["github", {}],
      ["github", { "x-hub-signature-256": `sha256=${hex(await hmac(body, new Uint8Array([1])))}` }],
      ["github", { "x-hub-signature-256": `sha1=${hex(await hmac(body))}` }],
      ["github", { "x-hub-signature-256": "sha256=zz" }],
      ["stripe", (await signed["stripe"]?.(body, TIME - 1000)) ?? {}],
      ["stripe", (await signed["stripe"]?.(`${body} `)) ?? {}],
      ["standard", (await signed["standard"]?.(body, TIME + 1000)) ?? {}],
      ["standard", { ...(await signed["standard"]?.(body)), "webhook-id": "msg_2" }],
    ];
    for (const [source, headers] of forged) {
      expect(await deliver(source, body, headers)).toMatchObject([
        401,
        { error: { code: "invalid_signature" } },
      ]);
    }
    expect(await deliver("nobody", body, {})).toMatchObject([404, { error: { code: "not_found" } }]);
    const wrong = JSON.stringify({ thread: thread.id, id: "d2", amount: "much" });
    expect(await deliver("github", wrong, (await signed["github"]?.(wrong)) ?? {})).toMatchObject([
      400,
      { error: { code: "invalid_event" } },
    ]);
    const none = "{}";
    expect(await deliver("github", none, (await signed["github"]?.(none)) ?? {})).toEqual([
      200,
      { status: "ignored" },
    ]);
    expect(await thread.rowCounts()).toEqual(before);
  });
});
