import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { allEvents } from "../../support/events.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread, type RunAnswer } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

function counting() {
  const gate = new Gate();
  gate.open();
  const runs = { count: 0 };
  const graph = new StateGraph(Log)
    .addNode("n", async () => {
      runs.count += 1;
      await gate.pass();
      return { log: ["n"] };
    })
    .addEdge(START, "n")
    .addEdge("n", END)
    .compile();
  deploy({ graph });
  return runs;
}

function send(
  thread: TestThread,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Response> {
  return request(`${thread.path}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

async function sent(...args: Parameters<typeof send>): Promise<RunAnswer> {
  return (await json(send(...args))) as RunAnswer;
}

const input = { input: { log: ["in"] } };
const key = (value: string) => ({ "idempotency-key": value });

describe("Idempotency-Key", () => {
  it("makes a repeated call the same call, while its run goes on and afterwards", async () => {
    const runs = counting();
    const thread = new TestThread();
    const calls = Array.from({ length: 20 }, () => sent(thread, "/invoke", input, key("k1")));
    const answers = await Promise.all(calls);
    expect(new Set(answers.map(({ run_id }) => run_id)).size).toBe(1);
    await thread.evict();
    expect(await sent(thread, "/invoke", input, key("k1"))).toEqual(answers[0]);
    expect(runs.count).toBe(1);
    expect((await sent(thread, "/invoke", input, key("k2"))).values).toEqual({ log: ["in", "n", "in", "n"] });
  });

  it("is refused with another request", async () => {
    const runs = counting();
    const thread = new TestThread();
    await sent(thread, "/invoke", input, key("k"));
    const reused = { status: 422, code: "idempotency_key_reused" };
    await expect(sent(thread, "/invoke", { input: { log: [] } }, key("k"))).rejects.toMatchObject(reused);
    await expect(sent(thread, "/stream", input, key("k"))).rejects.toMatchObject(reused);
    await expect(sent(thread, "/state", { values: { log: [] } }, key("k"))).rejects.toMatchObject(reused);
    const edit = { values: { log: [] } };
    await sent(thread, "/state", edit, key("edit"));
    await expect(sent(thread, "/events/state", edit, key("edit"))).rejects.toMatchObject(reused);
    expect(runs.count).toBe(1);
  });

  it("knows a request again that says the same in another order, and a body that is not asked for", async () => {
    counting();
    const thread = new TestThread();
    const { run_id: run } = await sent(thread, "/invoke", input, key("k"));
    const edits = [
      `{"values":{"log":["x"],"other":{"a":1,"b":[1,2]}},"as_node":"n"}`,
      `{"as_node":"n","values":{"other":{"b":[1,2],"a":1},"log":["x"]}}`,
      `{"as_node":"n","values":{"other":{"b":[2,1],"a":1},"log":["x"]}}`,
    ].map((body) => JSON.parse(body) as unknown);
    const statuses = [];
    for (const edit of edits) statuses.push((await send(thread, "/state", edit, key("edit"))).status);
    expect(statuses).toEqual([200, 200, 422]);
    const cancel = (query: string, body = "no JSON") =>
      request(`${thread.path}/runs/${run}/cancel?${query}`, { method: "POST", headers: key("cancel"), body });
    const query = "wait=true&action=interrupt";
    const cancelled = await json(cancel(query));
    expect(cancelled).toMatchObject({ run_id: run });
    expect(await json(cancel("action=interrupt&wait=true", "neither"))).toEqual(cancelled);
    expect((await cancel("wait=true&action=rollback")).status).toBe(422);
  });

  it("goes with its thread", async () => {
    const runs = counting();
    const thread = new TestThread();
    const first = await sent(thread, "/invoke", input, key("k"));
    await thread.delete();
    expect((await sent(thread, "/invoke", input, key("k"))).run_id).not.toBe(first.run_id);
    expect(runs.count).toBe(2);
  });

  it("leads a repeated stream to the run of the first one", async () => {
    const runs = counting();
    const thread = new TestThread();
    const first = await allEvents(await send(thread, "/stream", input, key("s")));
    const second = await allEvents(await send(thread, "/stream", input, key("s")));
    expect(second[0]).toEqual(first[0]);
    expect(second.at(-1)).toEqual(first.at(-1));
    expect(runs.count).toBe(1);
  });

  it("makes a repeated edit one edit, whatever came after it", async () => {
    counting();
    const thread = new TestThread();
    await sent(thread, "/invoke", input, key("a"));
    const edit = { values: { log: ["edit"] }, as_node: "n" };
    const first = await json(send(thread, "/state", edit, key("e")));
    await thread.invoke(input);
    expect(await json(send(thread, "/state", edit, key("e")))).toEqual(first);
    expect((await thread.state()).values).toEqual({ log: ["in", "n", "edit", "in", "n"] });
  });

  it("is free again when its request was refused, also by the run itself", async () => {
    counting();
    const thread = new TestThread();
    await expect(sent(thread, "/invoke", { input: { nonsense: 1 } }, key("k"))).rejects.toMatchObject({
      code: "invalid_input",
    });
    await sent(thread, "/invoke", input, key("k"));
    const asks = new StateGraph(Log)
      .addNode("n", () => interrupt("ok?"))
      .addEdge(START, "n")
      .compile();
    deploy({ asks });
    const paused = new TestThread();
    await paused.invoke(input);
    const refused = { code: "thread_interrupted" };
    await expect(sent(paused, "/invoke", input, key("k"))).rejects.toMatchObject(refused);
    const unknownNode = { values: { log: [] }, as_node: "nowhere" };
    await expect(sent(paused, "/state", unknownNode, key("k"))).rejects.toMatchObject({
      code: "unknown_node",
    });
    const discarding = { ...input, on_interrupted: "discard" };
    expect((await sent(paused, "/invoke", discarding, key("k"))).status).toBe("interrupted");
  });

  it("is forgotten after a day", async () => {
    const runs = counting();
    const thread = new TestThread();
    await sent(thread, "/invoke", input, key("k"));
    await thread.sql("UPDATE idempotency_keys SET created_at = created_at - 24 * 60 * 60 * 1000");
    await sent(thread, "/invoke", { input: { log: ["other"] } }, key("k"));
    expect(runs.count).toBe(2);
    expect((await thread.rowCounts())["idempotency_keys"]).toBe(1);
  });

  it.each(["", "a b", "x".repeat(256)])("cannot be %j", async (value) => {
    counting();
    const thread = new TestThread();
    const refused = { status: 400, code: "invalid_request", details: { header: "Idempotency-Key" } };
    await expect(sent(thread, "/invoke", input, key(value))).rejects.toMatchObject(refused);
    expect(await thread.tables()).toEqual([]);
  });
});

describe("If-Match", () => {
  const match = (id: string) => ({ "if-match": id });

  it("lets a call through at the checkpoint that it names, and refuses it at another", async () => {
    const runs = counting();
    const thread = new TestThread();
    const first = await thread.invoke(input);
    const second = await sent(thread, "/invoke", input, match(`"${first.checkpoint_id}"`));
    const moved = {
      status: 412,
      code: "head_moved",
      details: { expected: first.checkpoint_id, checkpoint_id: second.checkpoint_id },
    };
    const before = await thread.rowCounts();
    await expect(sent(thread, "/invoke", input, match(first.checkpoint_id))).rejects.toMatchObject(moved);
    const events = await allEvents(await send(thread, "/stream", input, match(first.checkpoint_id)));
    expect(events.at(-1)).toMatchObject({ event: "error", data: { error: { code: "head_moved" } } });
    const edit = { values: { log: ["edit"] }, as_node: "n" };
    await expect(sent(thread, "/state", edit, match(first.checkpoint_id))).rejects.toMatchObject(moved);
    expect(await thread.rowCounts()).toEqual(before);
    expect(runs.count).toBe(2);
    await sent(thread, "/state", edit, match(second.checkpoint_id));
  });

  it("is looked at when the run's turn comes", async () => {
    counting();
    const thread = new TestThread();
    const { checkpoint_id: id } = await thread.invoke(input);
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => sent(thread, "/invoke", input, match(id))),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await thread.state()).values).toEqual({ log: ["in", "n", "in", "n"] });
  });

  it.each(["*", 'W/"x"', '"a", "b"'])("cannot be %j", async (value) => {
    counting();
    const refused = { status: 400, code: "invalid_request", details: { header: "If-Match" } };
    await expect(sent(new TestThread(), "/invoke", input, match(value))).rejects.toMatchObject(refused);
  });
});
