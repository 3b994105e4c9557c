import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BundledServer } from "./support/bundled-server.ts";

let server: BundledServer;
let client: Client;

beforeAll(async () => {
  server = await BundledServer.build(join(import.meta.dirname, "fixtures/protocol"));
  await server.start();
  client = new Client({ apiUrl: server.url, apiKey: null });
});
afterAll(() => server.dispose());

const human = (content: string) => ({ messages: [{ type: "human", content }] });

interface Values {
  readonly messages: readonly { readonly content: unknown }[];
}

describe.each(["sse", "websocket"] as const)("threads.stream of LangGraph's client over %s", (transport) => {
  const opened = (assistantId = "chat") => client.threads.stream({ assistantId, transport });

  it("starts a run, and tells its messages and values", async () => {
    const thread = opened();
    const said: string[] = [];
    const listening = (async () => {
      for await (const message of thread.messages) for await (const text of message.text) said.push(text);
    })();
    await thread.run.start({ input: human("hello") });
    const values = (await thread.output) as Values;
    await listening;
    expect(values.messages.map(({ content }) => content)).toEqual(["hello", "Echo of hello."]);
    expect(said).toEqual(["Echo of ", "hello."]);
    await thread.close();
  });

  it("asks, is answered by the question's id, and goes on", async () => {
    const thread = opened("nested");
    await thread.run.start({ input: human("ask") });
    await thread.output;
    expect(thread.interrupted).toBe(true);
    const [question] = thread.interrupts;
    expect(question).toMatchObject({ payload: "May I?", namespace: [expect.stringMatching(/^inner:/)] });
    await thread.input.respond({
      namespace: question?.namespace ?? [],
      interrupt_id: question?.interruptId ?? "",
      response: "yes",
    });
    await expect.poll(async () => (await client.threads.get(thread.threadId)).status).toBe("idle");
    const { values } = await client.threads.getState<Values>(thread.threadId);
    expect(values.messages.at(-1)?.content).toBe("You said yes.");
    await thread.close();
  });

  it("hears nothing twice and misses nothing when the server is killed in the middle of a run", async () => {
    const thread = opened();
    const events: { readonly event_id?: string; readonly seq?: number; readonly method: string }[] = [];
    const subscription = await thread.subscribe({
      channels: ["messages", "lifecycle", "values", "checkpoints"],
    });
    const listening = (async () => {
      for await (const event of subscription) {
        events.push(event);
        const { data } = event.params as { data: { event?: string } };
        if (event.method === "lifecycle" && data.event === "completed") return;
      }
    })();
    await thread.run.start({ input: human("slow") });
    await expect.poll(() => events.length, { timeout: 10_000 }).toBeGreaterThan(10);
    await server.kill();
    await server.start();
    await listening;
    const ids = events.map(({ event_id: id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const numbers = events.map(({ seq = 0 }) => seq);
    expect(numbers).toEqual(numbers.toSorted((left, right) => left - right));
    expect(events.filter(({ method }) => method === "values").length).toBeGreaterThan(1);
    await thread.close();
  });
});

it("all commands are done of a client that sends them over a WebSocket and leaves", async () => {
  const threadId = crypto.randomUUID();
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/threads/${threadId}/stream/events`);
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  for (const id of [1, 2, 3, 4, 5]) {
    const params = { assistant_id: "chat", input: human(String(id)), multitask_strategy: "enqueue" };
    socket.send(JSON.stringify({ id, method: "run.start", params }));
  }
  socket.close();
  const runs = async () => (await client.runs.list(threadId)).map(({ status }) => status);
  await expect.poll(runs, { timeout: 10_000 }).toEqual(Array(5).fill("success"));
});
