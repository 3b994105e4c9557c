import { describe, expect, it } from "vitest";
import { interrupt, START, StateGraph } from "../../../src/index.ts";
import { webhookHeaders } from "../../../src/hooks/webhook-signature.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json } from "../../support/threads.ts";
import { answerLink, ToldThread } from "../../support/told-thread.ts";
import { deploy, webhookSecrets } from "../graphs.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: webhooks. */

/** Asks, then waits at the gate. */
function asking() {
  const gate = new Gate();
  const graph = new StateGraph(Log)
    .addNode("ask", () => ({ log: [interrupt<string, string>("?")] }))
    .addNode("wait", async () => {
      await gate.pass();
      return { log: ["waited"] };
    })
    .addEdge(START, "ask")
    .addEdge("ask", "wait")
    .compile();
  return { gate, graph };
}

it("WEB-01, WEB-03: a delivery that is tried again can be recognised, and is signed anew", async () => {
  const { graph } = asking();
  deploy({ graph });
  const thread = new ToldThread();
  await thread.tell("flaky");
  await until(async () => (await thread.deliveries())[0]?.["response"] === 500);
  await thread.sql("UPDATE timers SET due = 1");
  await thread.fireAlarm();
  await thread.settles("delivered");
  const received = await thread.received();
  expect(received).toHaveLength(2);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  for (const { headers, body } of received) {
    const time = Number(headers["webhook-timestamp"]) * 1000;
    const signed = await webhookHeaders(webhookSecrets, { id: headers["webhook-id"] ?? "", time, body });
    expect(headers).toMatchObject(signed);
  }
});

describe("WEB-05: an answer that comes by link when the question is answered otherwise", () => {
  it("changes nothing: while the next node runs, after the end, after a cancel, after the deletion", async () => {
    const revoked = { status: 410, code: "hook_revoked" };
    const { gate, graph } = asking();
    deploy({ graph });
    const thread = new ToldThread();
    await thread.tell();
    const link = await thread.link();
    const [question] = (await thread.state()).interrupts;
    const resumed = thread.resume({ interrupt_id: question?.id, value: "by UI" });
    await gate.reached();
    const during = await thread.history();
    await expect(json(answerLink(link, "late"))).rejects.toMatchObject(revoked);
    expect(await thread.history()).toEqual(during);
    gate.open();
    await resumed;
    const ended = await thread.history();
    await expect(json(answerLink(link, "late"))).rejects.toMatchObject(revoked);
    expect(await thread.history()).toEqual(ended);
    expect((await thread.state()).values).toEqual({ log: ["by UI", "waited"] });
    await thread.delete();
    await expect(json(answerLink(link, "late"))).rejects.toMatchObject(revoked);
    expect(await thread.tables()).toEqual([]);
  });
});

it("WEB-07: an answer to one question does not run what goes on beside it again", async () => {
  const gate = new Gate();
  const runs = { a: 0, b: 0 };
  const graph = new StateGraph(Log)
    .addNode("a", async () => {
      const answer = interrupt<string, string>("a?");
      runs.a += 1;
      await gate.pass();
      return { log: [`a: ${answer}`] };
    })
    .addNode("b", () => {
      const answer = interrupt<string, string>("b?");
      runs.b += 1;
      return { log: [`b: ${answer}`] };
    })
    .addEdge(START, "a")
    .addEdge(START, "b")
    .compile();
  deploy({ graph });
  const thread = new ToldThread();
  await thread.tell();
  const [message] = await thread.messages(1);
  const links = new Map(message?.data.interrupts.map(({ value, url }) => [value, new URL(url).pathname]));
  await json(answerLink(links.get("a?") ?? "", "yes"));
  await gate.reached();
  await json(answerLink(links.get("b?") ?? "", "no"));
  gate.open();
  await until(async () => (await thread.state()).next.length === 0);
  expect((await thread.state()).values).toEqual({ log: ["a: yes", "b: no"] });
  expect(runs).toEqual({ a: 1, b: 1 });
});
