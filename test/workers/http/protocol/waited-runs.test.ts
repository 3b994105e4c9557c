import { expect, it } from "vitest";
import { gated } from "../../../support/gated.ts";
import { until } from "../../../support/gate.ts";
import { ends, eventsUntil, start, summary } from "../../../support/protocol.ts";
import { allEvents } from "../../../support/events.ts";
import { json, TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

const RUN = { assistant_id: "graph", input: { log: [] } };

it.for(["/runs/wait", "/invoke"])(
  "who listens to a thread hears the values of a run by %s, which nobody else hears",
  async (way) => {
    const { gate, graph } = gated();
    gate.open();
    deploy({ graph });
    const thread = new TestThread();
    await start(thread, { log: [] });
    await eventsUntil(thread, ends());
    const heard = eventsUntil(thread, ends(2), { channels: ["values", "lifecycle"] });
    await until(async () => (await thread.listeners()) === 1);
    await json(thread.post(way, way === "/invoke" ? { input: RUN.input } : RUN));
    const told = (await heard).map(summary);
    expect(told.slice(-4)).toEqual(["lifecycle:running", "values", "values", "lifecycle:completed"]);
  },
);

it("a run that is only waited for tells who joins it its values when it is to be resumable", async () => {
  const { gate, graph } = gated();
  deploy({ graph });
  const thread = new TestThread();
  const waiting = thread.post("/runs/wait", { ...RUN, stream_resumable: true });
  await gate.reached();
  const [run] = (await thread.get("/runs")) as {
    readonly run_id: string;
    readonly kwargs: Readonly<Record<string, unknown>>;
  }[];
  expect(run?.kwargs).toMatchObject({ resumable: true, stream_mode: ["values"] });
  const joined = thread.join(run?.run_id ?? "").then(allEvents);
  gate.open();
  await json(waiting);
  const [first, ...events] = (await joined).map(({ event }) => event);
  expect(first).toBe("metadata");
  // It comes again when the run was entered again.
  expect(events.filter((event) => event !== "metadata")).toEqual(["values", "values", "end"]);
});
