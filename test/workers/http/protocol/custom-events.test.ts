import { expect, it } from "vitest";
import { Annotation, END, START, StateGraph } from "../../../../src/index.ts";
import { ends, eventsUntil, start } from "../../../support/protocol.ts";
import { request, TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

const graph = new StateGraph(Annotation.Root({ said: Annotation<string> }))
  .addNode("speak", (_, config) => {
    config.writer({ percent: 50 });
    config.writer({ name: "status", payload: "half" });
    return { said: "hello" };
  })
  .addEdge(START, "speak")
  .addEdge("speak", END)
  .compile();

const emitted = [{ percent: 50 }, { name: "status", payload: "half" }];

it("custom events have the names that nodes give them, however the run was started and is read", async () => {
  deploy({ graph });
  const ofProtocol = new TestThread();
  const runId = await start(ofProtocol, { said: "" });
  const ofMode = new TestThread();
  await (await ofMode.post("/runs/stream", { input: { said: "" }, stream_mode: "custom" })).text();
  for (const thread of [ofProtocol, ofMode]) {
    const heard = async (channel: string) => {
      const channels = ["lifecycle", channel];
      const events = await eventsUntil(thread, ends(), { channels });
      return events.filter(({ method }) => method === "custom").map(({ params }) => params.data);
    };
    expect(await heard("custom")).toEqual([{ payload: emitted[0] }, emitted[1]]);
    expect(await heard("custom:status")).toEqual([emitted[1]]);
    expect(await heard("custom:other")).toEqual([]);
  }
  const told = await (await request(`${ofProtocol.path}/runs/${runId}/stream`)).text();
  for (const payload of emitted) expect(told).toContain(`event: custom\ndata: ${JSON.stringify(payload)}\n`);
});
