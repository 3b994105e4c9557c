import { describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../../src/index.ts";
import { crashAt } from "../../../support/crash-points.ts";
import { Gate, until } from "../../../support/gate.ts";
import { identifiedEvents } from "../../../support/events.ts";
import { ends, eventsUntil, start, summary, type ThreadEvent } from "../../../support/protocol.ts";
import { json, request, TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";
import { stopObject } from "../../../support/instances.ts";

const State = Annotation.Root({ said: Annotation<string> });

const speaking = new StateGraph(State)
  .addNode("speak", async (_, config) => {
    const { content } = await config.writer.message(["hel", "lo"]);
    return { said: content };
  })
  .addEdge(START, "speak")
  .addEdge("speak", END)
  .compile();

const slow = new StateGraph(State)
  .addNode("wait", async () => {
    await scheduler.wait(50);
    return { said: "slow" };
  })
  .addEdge(START, "wait")
  .addEdge("wait", END)
  .compile();

const asking = new StateGraph(State)
  .addNode("ask", () => ({ said: interrupt<string, string>("sure?") }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

const waitingFor = (gate: Gate) =>
  new StateGraph(State)
    .addNode("wait", async () => {
      await gate.pass();
      return {};
    })
    .addEdge(START, "wait")
    .addEdge("wait", END)
    .compile();

/** With which code the object closes the socket of such a listener. */
async function closeCode(thread: TestThread, listener: Record<string, string>): Promise<number> {
  const query = new URLSearchParams({ channel: "lifecycle", ...listener });
  const upgrade = { headers: { upgrade: "websocket" } };
  const { webSocket } = await thread.stub.fetch(new Request(`https://thread/?${query.toString()}`, upgrade));
  return new Promise((resolve) => {
    webSocket?.addEventListener("close", ({ code }) => resolve(code));
    webSocket?.accept();
  });
}

const ids = (events: readonly ThreadEvent[]) => events.map(({ event_id: id }) => id);
const isGrowing = (events: readonly ThreadEvent[]) =>
  events.every(({ seq }, index) => index === 0 || seq > (events[index - 1]?.seq ?? Infinity));

describe("the events of a thread", () => {
  it("are the same for each reader, whenever they come, and their numbers grow from run to run", async () => {
    deploy({ graph: speaking });
    const thread = new TestThread();
    const early = eventsUntil(thread, ends(2));
    await start(thread, { said: "" });
    await start(thread, { said: "" });
    const live = await early;
    await thread.evict();
    const late = await eventsUntil(thread, ends(2));
    expect(late).toEqual(live);
    expect(isGrowing(live)).toBe(true);
    expect(new Set(ids(live)).size).toBe(live.length);
  });

  it("go on after the one that was had last", async () => {
    deploy({ graph: speaking });
    const thread = new TestThread();
    await start(thread, { said: "" });
    const all = await eventsUntil(thread, ends());
    for (const [index, { seq }] of all.entries()) {
      if (index === all.length - 1) break;
      expect(await eventsUntil(thread, ends(), { since: seq })).toEqual(all.slice(index + 1));
    }
  });

  it("are those that the filter wants", async () => {
    deploy({ graph: speaking });
    const thread = new TestThread();
    await start(thread, { said: "" });
    const filter = { channels: ["messages", "lifecycle"], namespaces: [[]], depth: 0 };
    expect((await eventsUntil(thread, ends(), filter)).map(summary)).toEqual([
      "lifecycle:running",
      "lifecycle:completed",
    ]);
  });

  it("come to a reader who was there before the thread", async () => {
    deploy({ graph: speaking });
    const thread = new TestThread();
    const reading = eventsUntil(thread, ends(), { channels: ["lifecycle"] });
    expect((await request(thread.path)).status).toBe(404);
    await start(thread, { said: "" });
    expect((await reading).map(summary)).toEqual(["lifecycle:running", "lifecycle:completed"]);
  });

  it("go on across an object that is stopped in the middle of a run", async () => {
    let stops = 0;
    const graph = new StateGraph(State)
      .addNode("before", () => ({ said: "before" }))
      .addNode("stop", async (_, config) => {
        config.writer("trying");
        await scheduler.wait(50);
        if (stops++ === 0) stopObject(String(config.configurable?.["thread_id"]));
        return { said: "after" };
      })
      .addEdge(START, "before")
      .addEdge("before", "stop")
      .addEdge("stop", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const reading = Promise.all([eventsUntil(thread, ends()), eventsUntil(thread, ends())]);
    await start(thread, { said: "" });
    await until(() => stops === 1);
    // The next instance is woken by the reader that comes back.
    const [one, other] = await reading;
    expect(stops).toBe(2);
    expect(isGrowing(one)).toBe(true);
    expect(ids(one)).toEqual(ids(other));
    const replayed = await eventsUntil(thread, ends());
    // What was told before it was stored may be missing later; nothing has another id.
    const known = new Set(ids(one));
    for (const id of ids(replayed)) expect(known).toContain(id);
    expect(replayed.filter(({ method }) => method === "values").at(-1)?.params.data).toEqual({
      said: "after",
    });
  });

  it("come to who listens also when the object has slept meanwhile, over the same socket", async () => {
    deploy({ graph: speaking });
    const thread = new TestThread();
    const reading = eventsUntil(thread, ends(2), { channels: ["lifecycle"] });
    await start(thread, { said: "" });
    await until(async () => (await thread.listeners()) === 1);
    const before = await thread.inside(
      (state) => state.getWebSockets()[0]?.deserializeAttachment() as object,
    );
    await thread.evict();
    const [kept] = await thread.inside((state) => state.getWebSockets());
    expect(kept?.deserializeAttachment()).toMatchObject(before);
    await start(thread, { said: "" });
    const events = await reading;
    expect(new Set(ids(events)).size).toBe(4);
    await until(async () => (await thread.listeners()) === 0);
  });

  it("give no number twice when the last run is removed", async () => {
    deploy({ graph: speaking });
    const thread = new TestThread();
    const runId = await start(thread, { said: "" });
    const first = await eventsUntil(thread, ends());
    await json(request(`${thread.path}/runs/${runId}`, { method: "DELETE" }));
    await start(thread, { said: "" });
    const second = await eventsUntil(thread, ends());
    expect(second[0]?.seq).toBeGreaterThan(first.at(-1)?.seq ?? Infinity);
  });

  it("have ids of their own on a thread that comes anew under the same name", async () => {
    deploy({ graph: speaking });
    const thread = new TestThread();
    await start(thread, { said: "one" });
    const first = await eventsUntil(thread, ends());
    await thread.delete();
    await start(thread, { said: "two" });
    const second = await eventsUntil(thread, ends());
    expect(second.map(({ seq }) => seq)).toEqual(first.map(({ seq }) => seq));
    expect(new Set([...ids(first), ...ids(second)]).size).toBe(first.length + second.length);
  });

  it("are told with the same time while a run of another path goes on, and later", async () => {
    deploy({ graph: slow });
    const thread = new TestThread();
    const reading = eventsUntil(thread, ends());
    await until(async () => (await thread.listeners()) === 1);
    await thread.stream({ input: { said: "" }, stream_mode: ["values"] });
    expect(await eventsUntil(thread, ends())).toEqual(await reading);
  });

  it("are told of a thread that comes anew also to who has heard more of the one before", async () => {
    deploy({ graph: speaking });
    const thread = new TestThread();
    await start(thread, { said: "one" });
    await start(thread, { said: "two" });
    const since = (await eventsUntil(thread, ends(2))).at(-1)?.seq;
    await thread.delete();
    await start(thread, { said: "anew" });
    const heard = await eventsUntil(thread, ends(), { since });
    expect(heard).toEqual(await eventsUntil(thread, ends()));
  });

  it("end for who has heard of a thread that is gone, whoever has removed it", async () => {
    deploy({ graph: speaking });
    const thread = new TestThread();
    await start(thread, { said: "" });
    const begun = eventsUntil(thread, ends());
    await begun;
    // The object ends when all is removed, before it has told its listeners.
    let told = 0;
    const listening = eventsUntil(thread, () => (told += 1) < 0);
    await until(() => told > 0);
    const hasEnded = crashAt("thread.objects_deleted", thread.id);
    expect(await thread.delete()).toBe(204);
    expect(hasEnded()).toBe(true);
    expect(await listening).toEqual(await begun);
    expect(await eventsUntil(thread, ends(), { since: (await begun).at(-1)?.seq })).toEqual([]);
  });

  it("end in the same way for who has heard of a thread that is somebody else's", async () => {
    deploy({ graph: speaking });
    const others = new TestThread();
    await start(others, { said: "" });
    for (const thread of [others, new TestThread()])
      expect(await closeCode(thread, { since: "1", access: '{"owner":"me"}' })).toBe(4404);
  });

  it("tell nothing of a run that is refused and leaves no trace", async () => {
    deploy({ graph: asking });
    const thread = new TestThread();
    const reading = eventsUntil(thread, ends(2), { channels: ["lifecycle"] });
    const { interrupts } = await thread.invoke({ input: { said: "" } });
    await until(async () => (await thread.listeners()) === 1);
    expect((await thread.post("/invoke", { input: { said: "" } })).status).toBe(409);
    // What was told of it would have come before what is told now.
    await thread.resume({ interrupt_id: interrupts[0]?.id, value: "yes" });
    expect((await reading).map(summary)).toEqual([
      "lifecycle:running",
      "lifecycle:interrupted",
      "lifecycle:running",
      "lifecycle:completed",
    ]);
  });

  it("tell at once that a run of another path has begun that tells nothing itself", async () => {
    const gate = new Gate();
    deploy({ graph: waitingFor(gate) });
    const thread = new TestThread();
    const reading = eventsUntil(thread, () => true, { channels: ["lifecycle"] });
    await until(async () => (await thread.listeners()) === 1);
    const answer = thread.invoke({ input: { said: "" } });
    expect((await reading).map(summary)).toEqual(["lifecycle:running"]);
    gate.open();
    await answer;
  });

  it("tell how runs go that others have started, and what those stream", async () => {
    deploy({ graph: speaking });
    const thread = new TestThread();
    const reading = eventsUntil(thread, ends(2));
    await until(async () => (await thread.listeners()) === 1);
    await thread.invoke({ input: { said: "" } });
    await thread.stream({ input: { said: "" }, stream_mode: ["values"] });
    const events = await reading;
    expect(events.map(summary)).toEqual([
      "lifecycle:running",
      "values",
      "values",
      "lifecycle:completed",
      "lifecycle:running",
      "values",
      "values",
      "lifecycle:completed",
    ]);
    // Who comes later hears of the runs of which something is kept.
    expect(ids(await eventsUntil(thread, ends(2)))).toEqual(ids(events));
  });

  it("tell of a run that is cancelled while it waits, and while it goes on", async () => {
    const gate = new Gate();
    deploy({ graph: waitingFor(gate) });
    const thread = new TestThread();
    const going = await start(thread, { said: "" });
    const waiting = await start(thread, { said: "" });
    for (const id of [waiting, going])
      await request(`${thread.path}/runs/${id}/cancel?wait=0`, { method: "POST" });
    gate.open();
    const events = await eventsUntil(thread, ends(2), { channels: ["lifecycle"] });
    expect(events.map(summary)).toEqual([
      "lifecycle:running",
      "lifecycle:interrupted",
      "lifecycle:running",
      "lifecycle:interrupted",
    ]);
  });

  it("say how a run has failed", async () => {
    const graph = new StateGraph(State)
      .addNode("fail", () => {
        throw new Error("It does not work.");
      })
      .addEdge(START, "fail")
      .addEdge("fail", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await start(thread, { said: "" });
    expect((await eventsUntil(thread, ends())).at(-1)?.params.data).toMatchObject({
      event: "failed",
      error: expect.stringContaining("It does not work."),
    });
  });
});

describe("a run that was started for the protocol", () => {
  it("tells those who read the run by itself its values, updates and what its nodes emit", async () => {
    deploy({ graph: speaking });
    const thread = new TestThread();
    const runId = await start(thread, { said: "" });
    const events = await identifiedEvents(await thread.join(runId));
    expect(events.map(({ event }) => event)).toEqual(["metadata", "values", "updates", "values", "end"]);
    expect(events.at(2)?.data).toEqual({ speak: { said: "hello" } });
  });
});

describe("a filter that is none", () => {
  it.each([{}, { channels: [] }, { channels: ["nonsense"] }, { channels: ["values"], since: -1 }])(
    "is refused: %o",
    async (filter) => {
      const response = await new TestThread().post("/stream/events", filter);
      expect(response.status).toBe(400);
      await response.body?.cancel();
    },
  );
});
