import { join } from "node:path";
import { Command, Send } from "@langchain/langgraph";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { Client, type StreamMode } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BundledServer } from "../e2e/support/bundled-server.ts";
import { CalledMethods } from "./support/called-methods.ts";

let server: BundledServer;
let client: Client;
let methods: CalledMethods;

beforeAll(async () => {
  server = await BundledServer.build(join(import.meta.dirname, "fixtures"));
  await server.start();
  client = new Client({ apiUrl: server.url, apiKey: null });
  methods = new CalledMethods(client);
});
afterAll(() => server?.dispose());

const hello = { message: "hello" };
const refund = { message: "Please refund order A-1001" };
const replied = expect.stringMatching(/^I can help/);

async function eventsOf(chunks: AsyncIterable<{ event: string }>): Promise<string[]> {
  const events: string[] = [];
  for await (const { event } of chunks) events.push(event);
  return events;
}

type RunOptions = NonNullable<Parameters<Client["runs"]["wait"]>[2]>;

/** What a run is started with, and where; what of it is told, and to whom. */
type Else =
  | ("input" | "command" | "checkpoint" | "checkpointId")
  | ("streamMode" | "streamSubgraphs" | "webhook" | "raiseError")
  | ("onCompletion" | "_langsmithTracer");

/** A value for each other option of a run that the client has. */
const everyOption: Required<Omit<RunOptions, Else>> = {
  metadata: { m: 1 },
  config: { tags: ["t"], recursion_limit: 9, configurable: { tone: "formal" } },
  context: { tone: "formal" },
  checkpointDuring: true,
  durability: "sync",
  interruptBefore: ["ask_person"],
  interruptAfter: ["ask_person"],
  multitaskStrategy: "enqueue",
  signal: new AbortController().signal,
  onDisconnect: "continue",
  afterSeconds: 0,
  ifNotExists: "create",
  strictResume: true,
  onRunCreated: () => undefined,
  streamNamespaces: [""],
  streamResumable: true,
  streamIdleReconnect: "auto",
  feedbackKeys: ["liked"],
};

/** A thread that waits for an answer. */
async function paused(): Promise<string> {
  const { thread_id: id } = await client.threads.create();
  await client.runs.wait(id, "support", { input: refund });
  return id;
}

describe("LangGraph's client", () => {
  it("makes, changes, finds and removes assistants", async () => {
    const own = await client.assistants.get("support");
    expect(own).toMatchObject({ graph_id: "support", version: 1 });
    const { assistant_id: id } = await client.assistants.create({
      graphId: "support",
      name: "Refunds",
      config: { recursion_limit: 1 },
      metadata: { team: "a" },
    });
    expect(await client.assistants.update(id, { name: "Refund desk" })).toMatchObject({ version: 2 });
    expect(await client.assistants.getVersions(id)).toHaveLength(2);
    expect(await client.assistants.setLatest(id, 1)).toMatchObject({ name: "Refunds" });
    expect(await client.assistants.search({ metadata: { team: "a" } })).toMatchObject([{ assistant_id: id }]);
    expect(await client.assistants.count({ graphId: "support" })).toBe(2);
    const { nodes } = await client.assistants.getGraph(id, { xray: true });
    expect(nodes.map((node) => node.id)).toContain("ask_person");
    expect(await client.assistants.getSchemas(id)).toMatchObject({ graph_id: "support" });
    expect(await client.assistants.getSubgraphs(id)).toEqual({});
    // Its configuration holds for its runs.
    const limited = client.runs.wait(null, id, { input: hello });
    await expect(limited).rejects.toThrow("GraphRecursionError");
    await client.assistants.delete(id);
    await expect(client.assistants.get(id)).rejects.toThrow("HTTP 404");
  });

  it("makes, finds, reads, edits, copies, prunes and removes threads", async () => {
    const tag = crypto.randomUUID();
    const { thread_id: id } = await client.threads.create({ metadata: { tag }, graphId: "support" });
    await expect(client.threads.create({ threadId: id })).rejects.toThrow("HTTP 409");
    expect(await client.threads.create({ threadId: id, ifExists: "do_nothing" })).toMatchObject({
      thread_id: id,
    });
    expect(await client.threads.getState(id)).toMatchObject({ values: {}, next: [] });
    expect(await client.threads.getHistory(id)).toEqual([]);
    await client.threads.update(id, { metadata: { more: true } });
    expect(await client.threads.search({ metadata: { tag } })).toMatchObject([
      { thread_id: id, status: "idle", metadata: { tag, more: true, graph_id: "support" } },
    ]);
    expect(await client.threads.count({ metadata: { tag } })).toBe(1);
    const extract = { more: "metadata.more" };
    expect(await client.threads.search({ metadata: { tag }, select: ["context"], extract })).toEqual([
      { extracted: { more: true } },
    ]);
    await client.threads.patchState(id, { patched: 1 });
    await client.threads.update(id, { ttl: 60 });
    expect(await client.threads.get(id)).toMatchObject({
      metadata: { patched: 1 },
      ttl: { ttl_minutes: 60 },
    });

    await client.runs.wait(id, "support", { input: refund });
    const state = await client.threads.getState(id);
    expect(state).toMatchObject({
      next: ["ask_person"],
      tasks: [{ interrupts: [{ id: expect.any(String) }] }],
    });
    expect(await client.threads.getState(id, state.checkpoint.checkpoint_id ?? "")).toEqual(state);
    const [older] = await client.threads.getHistory(id, {
      limit: 1,
      before: { configurable: { checkpoint_id: state.checkpoint.checkpoint_id ?? "" } },
    });
    expect(older?.checkpoint).toEqual(state.parent_checkpoint);
    const edit = { values: hello, asNode: "classify", checkpointId: older?.checkpoint.checkpoint_id ?? "" };
    expect(await client.threads.updateState(id, edit)).toMatchObject({ checkpoint: { thread_id: id } });
    const seeded = await client.threads.create({ graphId: "support" });
    await client.threads.updateState(seeded.thread_id, { values: { topic: "other" }, asNode: "classify" });
    expect((await client.threads.getState(seeded.thread_id)).next).toEqual(["write_reply"]);
    const copy = await client.threads.copy(id);
    expect(copy).toEqual(await client.threads.get(copy.thread_id));
    expect(copy).toMatchObject({ status: "interrupted", metadata: { tag } });
    expect((await client.threads.getState(copy.thread_id)).values).toEqual(
      (await client.threads.getState(id)).values,
    );
    expect(await client.threads.prune([id], { strategy: "keep_latest" })).toEqual({ pruned_count: 1 });
    expect(await client.threads.getHistory(id)).toHaveLength(1);
    await client.threads.delete(id);
    await expect(client.threads.get(id)).rejects.toThrow("HTTP 404");
  });

  it("starts runs in each way, waits for them, lists, cancels and removes them", async () => {
    const { thread_id: id } = await client.threads.create();
    expect(await client.runs.wait(id, "support", { input: hello })).toMatchObject({ reply: replied });
    const run = await client.runs.create(id, "support", { input: hello, metadata: { m: 1 } });
    expect(run.assistant_id).toBe((await client.assistants.get("support")).assistant_id);
    expect(await client.runs.join(id, run.run_id)).toMatchObject({ reply: replied });
    expect(await client.runs.get(id, run.run_id)).toMatchObject({ status: "success", metadata: { m: 1 } });
    expect(await client.runs.list(id, { status: "success" })).toHaveLength(2);
    const delayed = await client.runs.create(id, "support", { input: hello, afterSeconds: 60 });
    expect(delayed.status).toBe("pending");
    await client.runs.cancel(id, delayed.run_id, true);
    expect(await client.runs.get(id, delayed.run_id)).toMatchObject({ status: "interrupted" });
    await client.runs.delete(id, delayed.run_id);
    await expect(client.runs.get(id, delayed.run_id)).rejects.toThrow("HTTP 404");
    const later = await client.runs.create(id, "support", { input: hello, afterSeconds: 60 });
    await client.runs.cancelMany({ threadId: id, status: "pending" });
    expect(await client.runs.get(id, later.run_id)).toMatchObject({ status: "interrupted" });
  });

  it("takes every option of a run", async () => {
    const { thread_id: id } = await client.threads.create();
    const options = { ...everyOption, input: hello };
    const told: unknown[] = [];
    const streamed = client.runs.stream(id, "support", {
      ...options,
      streamMode: "updates",
      streamSubgraphs: true,
      onRunCreated: (run) => void told.push(run),
    });
    expect(await eventsOf(streamed)).toEqual(["metadata", "updates", "updates", "end"]);
    expect(told).toEqual([{ run_id: expect.any(String), thread_id: id }]);
    expect(await client.runs.wait(id, "support", options)).toMatchObject({ reply: replied });
    const { run_id: run } = await client.runs.create(id, "support", options);
    await client.runs.join(id, run);
    expect(await client.runs.get(id, run)).toMatchObject({ status: "success", metadata: { m: 1 } });
  });

  it("starts runs without a thread", async () => {
    expect(await client.runs.wait(null, "support", { input: hello })).toMatchObject({ reply: replied });
    expect(await eventsOf(client.runs.stream(null, "support", { input: hello }))).toContain("values");
    // The client sends all that an object has.
    const payload = { assistantId: "support", input: hello, signal: new AbortController().signal };
    const [run] = await client.runs.createBatch([payload]);
    expect(await client.runs.join(run?.thread_id ?? "", run?.run_id ?? "")).toMatchObject({ reply: replied });
    const streamed = await client.runs.create(null, "support", { input: hello, streamMode: "updates" });
    expect(await eventsOf(client.runs.joinStream(null, streamed.run_id, { lastEventId: "-1" }))).toEqual([
      "metadata",
      "updates",
      "updates",
      "end",
    ]);
  });

  it("answers questions, goes elsewhere, and stops where it is told to", async () => {
    const answered = await paused();
    const resume = { approved: true };
    expect(await client.runs.wait(answered, "support", { command: { resume } })).toMatchObject({
      refunded: 249,
    });

    const named = await paused();
    const [question] = (await client.threads.getState(named)).tasks[0]?.interrupts ?? [];
    const command = { resume: { [question?.id ?? ""]: resume } };
    expect(await client.runs.wait(named, "support", { command })).toMatchObject({ refunded: 249 });

    const elsewhere = { goto: "write_reply", update: { topic: "refund", order: null } };
    expect(await client.runs.wait(answered, "support", { command: elsewhere })).toMatchObject({
      reply: expect.stringMatching(/^I could not find/),
    });

    const { thread_id: id } = await client.threads.create();
    await client.runs.wait(id, "support", { input: hello, interruptBefore: ["write_reply"] });
    expect((await client.threads.getState(id)).next).toEqual(["write_reply"]);
    expect(await client.runs.wait(id, "support", { input: null })).toMatchObject({ reply: replied });
  });

  it.for<StreamMode>([
    "values",
    "updates",
    "custom",
    "messages-tuple",
    "tasks",
    "checkpoints",
    "debug",
    "lifecycle",
  ])("streams %s", async (streamMode) => {
    const { thread_id: id } = await client.threads.create();
    const events = await eventsOf(
      client.runs.stream(id, "support", { input: hello, streamMode, streamSubgraphs: true }),
    );
    expect([events[0], events.at(-1)]).toEqual(["metadata", "end"]);
    const others = new Set(events.slice(1, -1));
    const isSilent = ["custom", "messages-tuple", "lifecycle"].includes(streamMode);
    expect([...others]).toEqual(isSilent ? [] : [streamMode]);
  });

  it("streams values where no mode is named, as for a page that reads nothing yet", async () => {
    const { thread_id: id } = await client.threads.create();
    const events = await eventsOf(client.runs.stream(id, "support", { input: hello, streamMode: [] }));
    expect(new Set(events)).toEqual(new Set(["metadata", "values", "end"]));
    expect(await client.runs.wait(id, "support", { input: hello, streamMode: [] })).toMatchObject({
      reply: replied,
    });
  });

  it("streams what models say so far, and what is complete", async () => {
    const { thread_id: id } = await client.threads.create();
    const streamMode = ["messages", "values"] as const;
    const events = await eventsOf(
      client.runs.stream(id, "support", { input: hello, streamMode: [...streamMode] }),
    );
    expect(new Set(events)).toEqual(new Set(["metadata", "values", "end"]));
  });

  it("makes a thread of what is said to have happened in it", async () => {
    const made = await client.threads.create({
      graphId: "support",
      supersteps: [
        { updates: [{ asNode: "__input__", values: hello }] },
        { updates: [{ asNode: "__start__", values: hello }] },
        { updates: [{ asNode: "classify", values: { topic: "other" } }] },
      ],
    });
    expect(await client.threads.getState(made.thread_id)).toMatchObject({ next: ["write_reply"] });
    expect(await client.runs.wait(made.thread_id, "support", { input: null })).toMatchObject({
      reply: replied,
    });
  });

  it("makes, changes, finds and removes crons", async () => {
    const { thread_id: id } = await client.threads.create({ graphId: "support" });
    const every = { schedule: "* * * * *", input: hello };
    await client.runs.wait(id, "support", { input: hello });
    const ofThread = await client.crons.createForThread(id, "support", every);
    const ofGraph = await client.crons.create("support", { ...every, metadata: { n: 1 }, enabled: false });
    await client.crons.update(ofGraph.cron_id, {
      streamMode: "updates",
      interruptBefore: ["write_reply"],
      onRunCompleted: "keep",
    });
    expect(await client.crons.search({ metadata: { n: 1 } })).toMatchObject([
      { cron_id: ofGraph.cron_id, thread_id: null, enabled: false, on_run_completed: "keep" },
    ]);
    expect(await client.crons.search({ threadId: id })).toMatchObject([{ cron_id: ofThread.cron_id }]);
    expect(await client.crons.count({ threadId: id })).toBe(1);
    for (const { cron_id: cron } of [ofThread, ofGraph]) await client.crons.delete(cron);
    expect(await client.crons.count({ threadId: id })).toBe(0);
  });

  it("keeps, finds and removes items of the store", async () => {
    await client.store.putItem(["users", "ann"], "likes", { tea: true });
    expect(await client.store.getItem(["users", "ann"], "likes")).toMatchObject({ value: { tea: true } });
    expect((await client.store.searchItems(["users"], { filter: { tea: true } })).items).toHaveLength(1);
    expect(await client.store.listNamespaces({ prefix: ["users"] })).toEqual({
      namespaces: [["users", "ann"]],
    });
    await client.store.deleteItem(["users", "ann"], "likes");
    expect(await client.store.getItem(["users", "ann"], "likes")).toBeNull();
  });

  it("joins the stream of a run that has ended, from any event on", async () => {
    const { thread_id: id } = await client.threads.create();
    const run = await client.runs.create(id, "support", { input: hello, streamMode: ["updates"] });
    await client.runs.join(id, run.run_id);
    const all = await eventsOf(client.runs.joinStream(id, run.run_id, { lastEventId: "-1" }));
    expect(all).toEqual(["metadata", "updates", "updates", "end"]);
  });

  it("joins the stream of a thread: the run that goes on, those that come, and again those that were", async () => {
    const { thread_id: id } = await client.threads.create();
    await client.runs.wait(id, "support", { input: hello });
    const leave = new AbortController();
    const events: { readonly event: unknown; readonly id?: string }[] = [];
    const joined = (async () => {
      for await (const each of client.threads.joinStream(id, { signal: leave.signal })) {
        events.push(each);
        if (events.filter(({ event }) => event === "run_done").length === 2) break;
      }
    })();
    const later = { input: hello, streamMode: "updates" as const, afterSeconds: 1 };
    for (let run = 0; run < 2; run++) await client.runs.create(id, "support", later);
    await joined;
    const told = ["metadata", "updates", "updates", "end", "run_done"];
    expect(events.map(({ event }) => event)).toEqual([...told, ...told]);
    const again: string[] = [];
    const first = events.find(({ event }) => event === "run_done")?.id ?? "";
    for await (const { event } of client.threads.joinStream(id, { lastEventId: first })) {
      again.push(event);
      if (String(event) === "run_done") break;
    }
    expect(again).toEqual(told);
  });

  it("speaks the newer protocol of threads", async () => {
    const thread = client.threads.stream({ assistantId: "support" });
    await thread.run.start({ input: hello });
    expect(await thread.output).toMatchObject({ reply: replied });
    await thread.close();
  });
});

describe("RemoteGraph", () => {
  it("runs, streams, reads and edits as a graph of this process would", async () => {
    const graph = new RemoteGraph({ graphId: "support", client });
    const config = { configurable: { thread_id: crypto.randomUUID() } };
    await expect(graph.invoke(hello, config)).resolves.toMatchObject({ reply: replied });
    const modes: unknown[] = [];
    for await (const chunk of await graph.stream(hello, { ...config, streamMode: "updates" }))
      modes.push(chunk);
    expect(modes).toMatchObject([{ classify: { topic: "other" } }, { write_reply: { reply: replied } }]);
    const state = await graph.getState(config);
    expect(state).toMatchObject({ values: { reply: replied }, next: [] });
    const edited = await graph.updateState(config, { reply: "edited" }, "write_reply");
    expect((await graph.getState(edited)).values).toMatchObject({ reply: "edited" });
    const history: unknown[] = [];
    for await (const each of graph.getStateHistory(config, { limit: 2 })) history.push(each);
    expect(history).toHaveLength(2);
    const drawn = await graph.getGraphAsync();
    expect(Object.keys(drawn.nodes)).toContain("ask_person");
  });
});

describe("a Command of the library", () => {
  it("answers, twice by the question's id, writes and goes elsewhere", async () => {
    const graph = new RemoteGraph({ graphId: "support", client });
    const send = async (id: string, command: Command): Promise<unknown> =>
      graph.invoke(command, { configurable: { thread_id: id } });
    const resume = { approved: true };
    const refunded = { refunded: 249 };
    const [first, second] = [await paused(), await paused()];
    expect(await send(first, new Command({ resume }))).toMatchObject(refunded);
    const [question] = (await client.threads.getState(second)).tasks[0]?.interrupts ?? [];
    const named = new Command({ resume: { [question?.id ?? ""]: resume } });
    for (let call = 0; call < 2; call++) expect(await send(second, named)).toMatchObject(refunded);
    const update = { topic: "refund", order: null };
    expect(await send(first, new Command({ update, goto: "write_reply" }))).toMatchObject({
      reply: expect.stringMatching(/^I could not find/),
    });
    const elsewhere = new Command({ goto: new Send("write_reply", { topic: "other" }) });
    expect(await send(first, elsewhere)).toMatchObject({ reply: replied });
  });
});

describe("RemoteGraph.streamEvents", () => {
  it("runs over the newer protocol of threads", async () => {
    const graph = new RemoteGraph({ graphId: "support", client });
    const config = { configurable: { thread_id: crypto.randomUUID() }, version: "v3" as const };
    const stream = await graph.streamEvents(hello, config);
    const told = new Set<string>();
    for await (const { method } of stream) told.add(method);
    expect(told).toContain("values");
    expect(await stream.output).toMatchObject({ reply: replied });
  });
});

it("is tried with every method that the client has", () => {
  expect(methods.uncalled).toEqual([]);
});
