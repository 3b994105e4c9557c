import { describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { eventsOf, identifiedEvents } from "../../support/events.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: streams over HTTP. */

/** a, then b, which waits at the gate. */
function twoSteps() {
  const gate = new Gate();
  const noted = { aborted: false };
  const graph = new StateGraph(Log)
    .addNode("a", () => ({ log: ["a"] }))
    .addNode("b", async (_, { signal }) => {
      signal?.addEventListener("abort", () => (noted.aborted = true));
      await gate.pass();
      return { log: ["b"] };
    })
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", END)
    .compile();
  return { gate, graph, noted };
}

const hasStatus = (thread: TestThread, status: string) =>
  until(async () => (await thread.sql("SELECT 1 FROM runs WHERE status = ?", status)).length === 1);

describe("STR-01: a client that leaves in the middle of a stream", () => {
  it("continue: the run finishes, and the stream can be joined again", async () => {
    const { gate, graph } = twoSteps();
    deploy({ graph });
    const thread = new TestThread();
    const response = await thread.post("/stream", { input: { log: [] }, stream_mode: "updates" });
    const [runId = ""] = /[^/]+$/.exec(response.headers.get("content-location") ?? "") ?? [];
    const events = eventsOf(response);
    await events.next();
    await gate.reached();
    await events.return();
    gate.open();
    await hasStatus(thread, "success");
    expect((await thread.state()).values).toEqual({ log: ["a", "b"] });
    const again = await identifiedEvents(await thread.join(runId));
    expect(again.map(({ event }) => event)).toEqual(["metadata", "updates", "updates", "end"]);
  });

  it("cancel: the node is told, the run is interrupted, and the node is next", async () => {
    const { gate, graph, noted } = twoSteps();
    deploy({ graph });
    const thread = new TestThread();
    const body = { input: { log: [] }, stream_mode: "updates", on_disconnect: "cancel" };
    const events = eventsOf(await thread.post("/runs/stream", body));
    await events.next();
    await gate.reached();
    await events.return();
    await hasStatus(thread, "interrupted");
    expect(noted.aborted).toBe(true);
    gate.open();
    expect(await thread.state()).toMatchObject({ values: { log: ["a"] }, next: ["b"] });
  });
});

it("STR-03: joining a run that has ended ends", async () => {
  const { gate, graph } = twoSteps();
  gate.open();
  deploy({ graph });
  const thread = new TestThread();
  const response = await thread.post("/stream", { input: { log: [] } });
  const [runId = ""] = /[^/]+$/.exec(response.headers.get("content-location") ?? "") ?? [];
  const events = await identifiedEvents(response);
  await thread.evict();
  const last = events.at(-2)?.id ?? "";
  expect(await identifiedEvents(await thread.join(runId))).toEqual(events);
  expect(await identifiedEvents(await thread.join(runId, "", { "last-event-id": "-1" }))).toEqual(events);
  const rest = await identifiedEvents(await thread.join(runId, "", { "last-event-id": last }));
  expect(rest).toEqual(events.slice(-1));
  const after = await thread.join(runId, "", { "last-event-id": events.at(-1)?.id ?? "" });
  expect((await identifiedEvents(after)).map(({ event }) => event)).toEqual([]);
});

it("STR-05: characters of several bytes stay whole, wherever the stream is cut", async () => {
  const said = ["漢字 かな", "👩‍👩‍👧‍👦 🏳️‍🌈", "é\u2028\r\n"];
  const graph = new StateGraph(Log)
    .addNode("say", (_, { writer }) => {
      for (const text of said) writer(text);
      return {};
    })
    .addEdge(START, "say")
    .compile();
  deploy({ graph });
  const response = await new TestThread().post("/stream", { input: { log: [] }, stream_mode: "custom" });
  const bytes = await response.bytes();
  const whole = await identifiedEvents(new Response(bytes));
  expect(whole.slice(1, -1).map(({ data }) => data)).toEqual(said);
  for (let cut = 1; cut < bytes.length; cut++) {
    const pieces = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.slice(0, cut));
        controller.enqueue(bytes.slice(cut));
        controller.close();
      },
    });
    expect(await identifiedEvents(new Response(pieces))).toEqual(whole);
  }
});

it("STR-07: while nothing is said there are comments, which are no events, and none after the end", async () => {
  const { gate, graph } = twoSteps();
  deploy({ graph });
  const response = await new TestThread().post("/stream", { input: { log: [] }, stream_mode: "updates" });
  await gate.reached();
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.split(": heartbeat").length > 3) gate.open();
  }
  const parts = text.split("\n\n");
  const comments = parts.filter((part) => part.startsWith(":"));
  expect(new Set(comments)).toEqual(new Set([": heartbeat"]));
  const events = parts.filter((part) => !part.startsWith(":"));
  expect(events.map((part) => part.split("\n")[0])).toEqual([
    "event: metadata",
    "event: updates",
    "event: updates",
    "event: end",
    "",
  ]);
  expect(parts.at(-2)).toMatch(/^event: end/);
});

it("STR-09: the last chunks of parallel nodes come before the end", async () => {
  const builder = new StateGraph(Log);
  for (let node = 0; node < 5; node++) {
    builder
      .addNode(`n${node}`, async (_, { writer }) => {
        for (let chunk = 0; chunk < 10; chunk++) {
          writer(chunk);
          await scheduler.wait(Math.random());
        }
        writer("last");
        return {};
      })
      .addEdge(START, `n${node}`);
  }
  deploy({ graph: builder.compile() });
  const events = await new TestThread().stream({ input: { log: [] }, stream_mode: "custom" });
  expect(events.filter(({ event }) => event === "custom")).toHaveLength(55);
  expect(events.at(-1)?.event).toBe("end");
});
