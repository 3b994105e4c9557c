import { describe, expect, it } from "vitest";
import { END, sleep, START, StateGraph } from "../../../src/index.ts";
import { until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { ToldThread } from "../../support/told-thread.ts";
import { deploy } from "../graphs.ts";

/** The address of a webhook is often a key: who may read a thread, or copy it, does not get it with that. */

const napping = (time: number) =>
  new StateGraph(Log)
    .addNode("nap", () => {
      sleep(time);
      return { log: ["slept"] };
    })
    .addEdge(START, "nap")
    .addEdge("nap", END)
    .compile();

/** Above what a row may have, in pieces of which each is small. */
const many = Array.from({ length: 30_000 }, (_, index) => `${index} ${"x".repeat(40)}`);

async function exported(thread: TestThread): Promise<Uint8Array<ArrayBuffer>> {
  const response = await request(`${thread.path}/export`);
  return new Uint8Array(await response.arrayBuffer());
}

async function imported(archive: Uint8Array<ArrayBuffer>): Promise<ToldThread> {
  const thread = new ToldThread();
  const headers = { "content-type": "application/vnd.tidemark.thread" };
  await json(request(`${thread.path}/import`, { method: "POST", headers, body: archive }));
  return thread;
}

const holds = (archive: Uint8Array, text: string): boolean =>
  new TextDecoder("latin1").decode(archive).includes(text);

async function webhookOf(thread: TestThread): Promise<unknown> {
  const [run] = (await thread.get("/runs")) as readonly { readonly kwargs: { readonly webhook: unknown } }[];
  return run?.kwargs.webhook;
}

describe("the webhook of a run", () => {
  it.each([
    ["in its row", []],
    ["too large for its row", many],
  ])("is not part of an export, with what the run was started with %s", async (_, log) => {
    deploy({ nap: napping(3_600_000) });
    const thread = new ToldThread();
    await thread.invoke({ input: { log }, webhook: thread.webhook("ok") });
    const archive = await exported(thread);
    const secret = `/ok/${thread.id}`;
    expect(holds(archive, secret)).toBe(false);

    const moved = await imported(archive);
    expect(await webhookOf(thread)).toBe("http://receiver");
    expect(await webhookOf(moved)).toBeNull();
    expect((await moved.state()).values).toEqual((await thread.state()).values);
    expect(holds(await exported(moved), secret)).toBe(false);
  });

  it("is not told of what becomes of a copy", async () => {
    deploy({ nap: napping(2000) });
    const thread = new ToldThread();
    await thread.tell();
    await thread.settles("delivered");
    const { thread_id: id } = (await json(thread.post("/copy", {}))) as { readonly thread_id: string };
    const copy = new TestThread(id);
    expect(await webhookOf(copy)).toBeNull();
    for (const each of [thread, copy]) await until(async () => (await each.state()).next.length === 0);
    const told = (await thread.messages(2)).map(({ data }) => data.thread_id);
    expect(new Set(told)).toEqual(new Set([thread.id]));
    expect(await copy.get("/deliveries")).toEqual([]);
  });
});
