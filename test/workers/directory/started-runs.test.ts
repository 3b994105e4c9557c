import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/gate.ts";
import { gated } from "../../support/gated.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";

const { gate, graph } = gated();
const RUN = { assistant_id: "graph", input: { log: [] } };

beforeAll(() => {
  deploy({ graph });
  announcing.isOn = true;
});

afterAll(() => {
  gate.open();
  announcing.isOn = false;
});

function send(method: string, path: string, body?: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return request(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

async function found({ id }: TestThread): Promise<number> {
  return ((await json(send("POST", "/threads/search", { ids: [id] }))) as unknown[]).length;
}

describe("a run that was started, and that nobody waits for", () => {
  it.for(["/runs", "/runs/stream"])("by %s has its new thread found at once", async (way) => {
    const thread = new TestThread();
    const response = await thread.post(way, RUN);
    expect(response.status).toBe(200);
    expect(await found(thread)).toBe(1);
    await response.body?.cancel();
  });

  it("is among those that are all cancelled", async () => {
    const thread = new TestThread();
    const { run_id: id } = (await json(thread.post("/runs", RUN))) as { run_id: string };
    expect((await send("POST", "/runs/cancel", { status: "all" })).status).toBe(204);
    const status = async () => ((await thread.get(`/runs/${id}`)) as { status: string }).status;
    await until(async () => (await status()) === "interrupted");
  });

  it("goes with all that its tenant has", async () => {
    const thread = new TestThread();
    await json(thread.post("/runs", RUN));
    let erased: unknown;
    do ({ erased } = (await json(send("DELETE", "/tenant?limit=1000"))) as { erased: boolean });
    while (erased !== true);
    expect((await request(thread.path)).status).toBe(404);
    expect(await found(thread)).toBe(0);
  });
});
