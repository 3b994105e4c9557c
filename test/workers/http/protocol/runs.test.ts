import { describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../../src/index.ts";
import { ends, eventsUntil, start, summary } from "../../../support/protocol.ts";
import { TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

const State = Annotation.Root({ said: Annotation<string> });

describe("a run of the protocol", () => {
  it("tells what happens in it, in the protocol's order", async () => {
    const graph = new StateGraph(State)
      .addNode("speak", async (_, config) => {
        config.writer({ percent: 50 });
        const { content } = await config.writer.message(["hel", "lo"]);
        return { said: content };
      })
      .addEdge(START, "speak")
      .addEdge("speak", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const runId = await start(thread, { said: "" });
    const events = await eventsUntil(thread, ends());
    expect(events.map(summary)).toEqual([
      "lifecycle:running",
      "checkpoints",
      "checkpoints",
      "values",
      "tasks",
      "custom",
      "messages:message-start in speak",
      "messages:content-block-start in speak",
      "messages:content-block-delta in speak",
      "messages:content-block-delta in speak",
      "updates",
      "messages:content-block-finish in speak",
      "messages:message-finish in speak",
      "tasks",
      "checkpoints",
      "values",
      "lifecycle:completed",
    ]);
    expect(events.at(-1)).toMatchObject({ event_id: expect.stringContaining(`synth:${runId}:`) });
  });

  it("asks, and an input is the answer", async () => {
    const graph = new StateGraph(State)
      .addNode("ask", () => ({ said: interrupt<string, string>("May I?") }))
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await start(thread, { said: "" });
    const asked = await eventsUntil(thread, ends());
    expect(asked.slice(-2).map(summary)).toEqual(["input.requested", "lifecycle:interrupted"]);
    await start(thread, "yes");
    const answered = await eventsUntil(thread, ends(), { since: asked.at(-1)?.seq });
    expect(answered.slice(0, 2).map(summary)).toEqual(["lifecycle:running", "input.answered"]);
    expect((await thread.state()).values).toEqual({ said: "yes" });
  });
});
