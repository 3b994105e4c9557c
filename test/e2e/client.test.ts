import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { type RunEvent, TidemarkClient, TidemarkClientError } from "../../src/client/index.ts";
import type { counting } from "./fixtures/client/worker.ts";
import { BundledServer } from "./support/bundled-server.ts";
import { CutConnections } from "./support/cut-connections.ts";

let server: BundledServer;
let connections: CutConnections;
let client: TidemarkClient<typeof counting>;

beforeAll(async () => {
  server = await BundledServer.build(join(import.meta.dirname, "fixtures/client"));
  await server.start();
  connections = await CutConnections.open(Number(new URL(server.url).port));
  client = new TidemarkClient({ url: connections.url });
});

afterAll(async () => {
  await connections?.dispose();
  await server?.dispose();
});

const POLL = { timeout: 20_000 };

const newThread = () => client.thread(crypto.randomUUID());

async function allOf<Item>(items: AsyncIterable<Item>, onItem: (count: number) => void = () => undefined) {
  const all: Item[] = [];
  for await (const item of items) onItem(all.push(item));
  return all;
}

/** How far each event has counted. */
function counts(events: readonly RunEvent<{ count?: number }>[]): readonly (number | undefined)[] {
  return events.flatMap((event) =>
    event.event === "values" && "count" in event.data ? [event.data.count] : [],
  );
}

const upTo = (last: number): readonly number[] => Array.from({ length: last + 1 }, (_, count) => count);

describe("the client", () => {
  it("starts runs, answers questions and reads what came of them, typed by the graph", async () => {
    const thread = newThread();
    const asked = await thread.invoke({ input: { until: 2 } });
    expectTypeOf(asked.values.count).toEqualTypeOf<number>();
    expect(asked).toMatchObject({ status: "interrupted", values: { count: 2 }, next: ["ask"] });
    const [question] = asked.interrupts;
    expect(question?.value).toBe("Enough at 2?");
    const found = await allOf(client.interrupts({ query: { limit: 1 } }));
    expect(found.map(({ thread_id }) => thread_id)).toContain(thread.id);
    const ended = await thread.resume({ interrupt_id: question?.id ?? "", value: true });
    expect(ended).toMatchObject({ status: "success", values: { approved: true } });
    expect((await thread.state()).values.approved).toBe(true);
    expect((await thread.history({ limit: 2 })).map(({ next }) => next)).toEqual([[], ["ask"]]);
    const edited = await thread.update({ values: { count: 7 }, as_node: "add" });
    expect((await thread.state(edited.checkpoint.checkpoint_id)).values.count).toBe(7);
    await thread.delete();
    await expect(thread.get()).rejects.toMatchObject({ code: "thread_not_found", status: 404 });
  });

  it("calls every route by its name", async () => {
    const made = await client.createThread({ metadata: { test: "client" } });
    const found = await client.call("POST /threads/search", { body: { metadata: { test: "client" } } });
    expect(found.map(({ thread_id }) => thread_id)).toEqual([made.thread_id]);
    const path = { assistant_id: "counting" };
    const { graph_id } = await client.call("GET /assistants/:assistant_id", { path });
    expect(graph_id).toBe("counting");
    // @ts-expect-error: a route of which there is nothing.
    await expect(client.call("GET /nothing", {})).rejects.toMatchObject({ code: "not_found" });
  });

  it("says what the server has refused", async () => {
    const thread = newThread();
    await thread.invoke({ input: { until: 1 } });
    const failure = await thread.invoke({ input: { until: 1 } }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TidemarkClientError);
    expect(failure).toMatchObject({ code: "thread_interrupted", status: 409 });
    expect((failure as TidemarkClientError).details).toHaveProperty("pending");
    const unknown = thread.runs.wait({ assistant_id: "counting", command: { goto: "nowhere" } });
    await expect(unknown).rejects.toMatchObject({ code: "unknown_node" });
  });

  it("gives each event of a run once, however often the connection is cut", async () => {
    const thread = newThread();
    connections.cuts = 0;
    connections.limit = 900;
    const config = { recursion_limit: 50 };
    const events = await allOf(thread.stream({ input: { until: 40 }, config }));
    connections.limit = Infinity;
    expect(connections.cuts).toBeGreaterThan(3);
    expect(counts(events)).toEqual(upTo(40));
    const ids = events.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const end = events.at(-1);
    expect(end).toMatchObject({ event: "end", data: { status: "interrupted" } });
    expect(await thread.runs.list()).toHaveLength(1);
  });

  it("starts one run only when the answer to its call is lost", async () => {
    const thread = newThread();
    const cut = setTimeout(() => connections.cut(), 200);
    const asked = await thread.invoke({ input: { until: 15 } });
    clearTimeout(cut);
    expect(asked.values.count).toBe(15);
    expect(await thread.runs.list()).toHaveLength(1);
  });

  it("notices nothing of a server that is killed in the middle of a run and started again", async () => {
    const thread = newThread();
    const restarted: Promise<void>[] = [];
    const streamed = allOf(thread.stream({ input: { until: 20 } }), (count) => {
      if (count === 8) restarted.push(server.kill().then(() => server.start()));
    });
    const invoked = newThread().invoke({ input: { until: 20 } });
    expect(counts(await streamed).at(-1)).toBe(20);
    expect((await invoked).values.count).toBe(20);
    expect(restarted).toHaveLength(1);
    await Promise.all(restarted);
    expect(await thread.runs.list()).toHaveLength(1);
  });

  it("reads a run that was started before, also from its middle, and cancels one", async () => {
    const { runs } = newThread();
    const { run_id: id } = await runs.create({
      assistant_id: "counting",
      input: { until: 3 },
      stream_mode: "values",
    });
    expect(await runs.join(id)).toMatchObject({ count: 3 });
    expect(counts(await allOf(runs.events(id)))).toEqual(upTo(3));
    const { run_id: long } = await newThread().runs.create({ assistant_id: "counting", input: { until: 3 } });
    await expect(runs.cancel(long)).rejects.toMatchObject({ code: "run_not_found" });
    const other = newThread().runs;
    const { run_id: ended } = await other.create({
      assistant_id: "counting",
      input: { until: 900 },
      config: { recursion_limit: 1000 },
    });
    await other.cancel(ended);
    expect((await other.get(ended)).cancelled).toBe("interrupt");
  });

  it("stops when it is told to", async () => {
    const thread = newThread();
    const controller = new AbortController();
    const { signal } = controller;
    const reading = allOf(thread.stream({ input: { until: 20 } }, { signal }), (count) => {
      if (count === 3) controller.abort(new Error("enough"));
    });
    await expect(reading).rejects.toThrow("enough");
    await expect(thread.invoke({}, { signal })).rejects.toThrow("enough");
  });
});

describe("a run whose client goes, and does not come again", () => {
  it.for(["/invoke", "/stream", "/runs", "/runs/wait", "/runs/stream"])(
    "goes on to its end when it was started by %s",
    async (way) => {
      const thread = newThread();
      const leave = new AbortController();
      const started = fetch(`${server.url}/threads/${thread.id}${way}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          input: { until: 10 },
          ...(way.startsWith("/runs") && { assistant_id: "counting" }),
        }),
        signal: leave.signal,
      });
      const lost = started.then((response) => response.text()).catch(() => "lost");
      const count = async (): Promise<number | undefined> =>
        (await thread.state().catch(() => undefined))?.values.count;
      await expect.poll(count, POLL).toBeGreaterThan(1);
      leave.abort();
      if (way !== "/runs") expect(await lost).toBe("lost");
      await expect.poll(count, POLL).toBe(10);
      await expect.poll(() => thread.runs.list(), POLL).toMatchObject([{ status: "success", attempts: 1 }]);
    },
  );
});
