import { expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { eventsOf } from "../../support/events.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const answers = new StateGraph(Log)
  .addNode("answer", () => ({ log: ["answer"] }))
  .addEdge(START, "answer")
  .addEdge("answer", END)
  .compile();

it("the stream of a thread's runs tells nothing of those that have ended, but to who names one", async () => {
  deploy({ answers });
  const thread = new TestThread();
  const body = { assistant_id: "answers", input: { log: [] } };
  const started = async (): Promise<string> => {
    const { run_id: id } = (await json(thread.post("/runs", body))) as { readonly run_id: string };
    await thread.join(id);
    return id;
  };
  const first = await started();
  const heard = async (headers: Record<string, string>, count: number) => {
    const response = await request(`${thread.path}/stream?stream_mode=lifecycle&stream_mode=run_modes`, {
      headers,
    });
    const ids = [await started()];
    const states: unknown[] = [];
    const ended: unknown[] = [];
    for await (const { event, data } of eventsOf(response)) {
      if (event === "lifecycle") states.push((data as { readonly event: string }).event);
      if (event === "run_done") ended.push((data as { readonly run_id: string }).run_id);
      if (states.length === count && ended.length === count / 2) break;
    }
    return { states, ended, ids };
  };
  const live = await heard({}, 2);
  expect(live).toMatchObject({ states: ["running", "completed"], ended: live.ids });
  const all = await heard({ "last-event-id": "-1" }, 6);
  expect(all.ended).toEqual([first, ...live.ids, ...all.ids]);
});

it.each([["everything"], [["values", "everything"]]])(
  "a run refuses the modes %j, and says which there are",
  async (stream_mode) => {
    const response = new TestThread().post("/runs/stream", { assistant_id: "answers", stream_mode });
    await expect(json(response)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("values, updates, custom, messages, messages-tuple, tasks"),
    });
  },
);

it("the stream of a thread refuses a mode of which it would tell nothing", async () => {
  deploy({ answers });
  const thread = new TestThread();
  await thread.post("/runs/wait", { assistant_id: "answers", input: { log: [] } });
  for (const query of ["stream_mode=state_update", "stream_mode=run_modes&stream_mode=state_update"]) {
    const response = await request(`${thread.path}/stream?${query}`);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      {
        error: { code: "invalid_request", message: expect.stringContaining('"state_update") are not told') },
      },
    ]);
  }
});
