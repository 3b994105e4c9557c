import { expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { allEvents } from "../../support/events.ts";
import { Log } from "../../support/log.ts";
import { eventsUntil, start, type ThreadEvent } from "../../support/protocol.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

interface Run {
  readonly run_id: string;
  readonly thread_id: string;
  readonly status: string;
}

const graph = new StateGraph(Log)
  .addNode("ask", () => ({ log: [String(interrupt("Name?"))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

it("the plain routes, LangGraph's and its protocol have the same threads, runs and questions", async () => {
  deploy({ graph });
  const thread = new TestThread();
  const asked = await thread.invoke({ input: { log: ["plain"] } });
  const [question] = asked.interrupts;
  // Asked by the one, answered by the other.
  const answer = { assistant_id: "graph", command: { resume: "Ann" } };
  expect(await json(thread.post("/runs/wait", answer))).toEqual({ log: ["plain", "Ann"] });
  await expect(thread.resume({ interrupt_id: question?.id, value: "Bob" })).rejects.toMatchObject({
    status: 409,
    code: "interrupt_answered",
  });
  const byCommand = await start(thread, { log: ["command"] });
  const isPaused = ({ event_id: id, params: { data } }: ThreadEvent): boolean =>
    id.includes(byCommand) && data["event"] === "interrupted";
  const events = await eventsUntil(thread, isPaused);
  const [asking] = (await thread.state()).interrupts;
  expect(events.findLast(({ method }) => method === "input.requested")?.params.data["interrupt_id"]).toBe(
    asking?.id,
  );
  const resumed = await thread.resume({ interrupt_id: asking?.id, value: "Eve" });
  expect(resumed.values).toEqual({ log: ["plain", "Ann", "command", "Eve"] });

  const runs = (await thread.get("/runs")) as readonly Run[];
  expect(runs.map(({ run_id: id, status }) => [id, status])).toEqual([
    [resumed.run_id, "success"],
    [byCommand, "success"],
    [expect.any(String), "success"],
    [asked.run_id, "success"],
  ]);
  for (const { run_id: id } of runs) {
    const joined = await request(`${thread.path}/runs/${id}/stream`, { headers: { "last-event-id": "-1" } });
    expect((await allEvents(joined))[0]?.data).toMatchObject({ run_id: id, thread_id: thread.id });
  }
});
