import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import {
  Annotation,
  Command,
  durableFetch,
  END,
  entrypoint,
  getConfig,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph,
  task,
} from "tidemark";

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});

const thread = { configurable: { thread_id: "t" } };

describe("executionInfo.effectKey", () => {
  it("is the same for every attempt, also those after an answer and after a failure", async () => {
    const keys: string[] = [];
    let failures = 2;
    const graph = new StateGraph(State)
      .addNode(
        "n",
        (_, { executionInfo }) => {
          keys.push(executionInfo.effectKey);
          const answer = interrupt<string, string>("ok?");
          if (failures-- > 0) throw new Error("not yet");
          return { log: [answer] };
        },
        { retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, retryOn: () => true } },
      )
      .addEdge(START, "n")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ log: [] }, thread);
    await expect(graph.invoke(new Command({ resume: "yes" }), thread)).rejects.toThrow("not yet");
    expect(await graph.invoke(null, thread)).toEqual({ log: ["yes"] });
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it("is another one for each Send, each superstep, each call of a task and each thread", async () => {
    const keys: string[] = [];
    const note = task("note", () => {
      keys.push(getConfig().executionInfo.effectKey);
    });
    const graph = new StateGraph(State)
      .addNode("each", async (_, { executionInfo }) => {
        keys.push(executionInfo.effectKey);
        await Promise.all([note(), note()]);
        return { log: ["x"] };
      })
      .addConditionalEdges(START, () => [new Send("each", {}), new Send("each", {})], ["each"])
      .addConditionalEdges("each", ({ log }) => (log.length < 4 ? [new Send("each", {})] : END), [
        "each",
        END,
      ])
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ log: [] }, thread);
    await graph.invoke({ log: [] }, { configurable: { thread_id: "u" } });
    expect(keys.length).toBeGreaterThan(20);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("tells copies of a thread apart, whose tasks have the same ids", async () => {
    const keys: string[] = [];
    const ids: string[] = [];
    const graph = new StateGraph(State)
      .addNode("n", (_, { executionInfo }) => {
        keys.push(executionInfo.effectKey);
        ids.push(executionInfo.taskId);
        throw new Error("each time");
      })
      .addEdge(START, "n")
      .compile({ checkpointer: new MemorySaver() });
    const saver = graph.checkpointer as MemorySaver;
    await graph.invoke({ log: [] }, thread).catch(() => undefined);
    await saver.copyThread("t", "copy");
    for (const thread_id of ["t", "copy"]) {
      await graph.invoke(null, { configurable: { thread_id } }).catch(() => undefined);
    }
    expect(new Set(ids).size).toBe(1);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it("is another one for each run where there are no checkpoints", async () => {
    const keys: string[] = [];
    const graph = new StateGraph(State)
      .addNode("n", (_, { executionInfo }) => {
        keys.push(executionInfo.effectKey);
        return {};
      })
      .addEdge(START, "n")
      .compile();
    for (const runId of ["a", "b"]) await graph.invoke({ log: [] }, { runId });
    expect(new Set(keys).size).toBe(2);
  });
});

describe("durableFetch", () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    }
  });

  /** A server that notes what it is asked. */
  async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
    const keys: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers["idempotency-key"]?.toString());
      answer(request, response);
    });
    servers.push(server.listen(0, "127.0.0.1"));
    await once(server, "listening");
    return { keys, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay?secret=1` };
  }

  it("sends a request once, and gives a restarted node what it has got", async () => {
    const { keys, url } = await serve((_, response) => {
      response
        .setHeader("x-count", keys.length)
        .writeHead(201, "Made")
        .end(JSON.stringify({ n: keys.length }));
    });
    const seen: unknown[] = [];
    const graph = new StateGraph(State)
      .addNode("n", async () => {
        const one = await durableFetch(url, { method: "POST", body: "a" });
        const two = await durableFetch(url, { method: "POST", body: "a" });
        seen.push([
          one.status,
          one.statusText,
          one.headers.get("x-count"),
          await one.json(),
          await two.json(),
        ]);
        return { log: [interrupt<string, string>("ok?")] };
      })
      .addEdge(START, "n")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ log: [] }, thread);
    await graph.invoke(new Command({ resume: "yes" }), thread);
    const first = [201, "Made", "1", { n: 1 }, { n: 2 }];
    expect(seen).toEqual([first, first]);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
  });

  it("sends a request that has failed again, with the same key", async () => {
    const { keys, url } = await serve((_, response) => {
      response.writeHead(keys.length < 3 ? 503 : 200).end("body");
    });
    const graph = new StateGraph(State)
      .addNode(
        "n",
        async () => {
          const response = await durableFetch(url);
          if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
          return { log: [await response.text()] };
        },
        { retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, retryOn: () => true } },
      )
      .addEdge(START, "n")
      .compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({ log: [] }, thread)).rejects.toThrow("503 body");
    expect(await graph.invoke(null, thread)).toEqual({ log: ["body"] });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it("keeps a key that the request has, and bodies of bytes", async () => {
    const { keys, url } = await serve((_, response) => response.end(Buffer.from([0, 255, 7])));
    const run = entrypoint({ name: "run", checkpointer: new MemorySaver() }, async () => {
      const response = await durableFetch(new Request(url, { headers: { "Idempotency-Key": "own" } }));
      return [...new Uint8Array(await response.arrayBuffer())];
    });
    expect(await run.invoke({}, thread)).toEqual([0, 255, 7]);
    expect(keys).toEqual(["own"]);
  });

  it("shows no secrets in the stream of tasks", async () => {
    const { url } = await serve((_, response) => response.end());
    const graph = new StateGraph(State)
      .addNode("n", async () => {
        await durableFetch(url, { headers: { authorization: "secret=1" } });
        return {};
      })
      .addEdge(START, "n")
      .compile();
    const chunks: unknown[] = [];
    for await (const chunk of graph.stream({ log: [] }, { streamMode: "tasks" })) chunks.push(chunk);
    const text = JSON.stringify(chunks);
    expect(text).toContain("/pay");
    expect(text).not.toContain("secret");
  });

  it("refuses to store what is very large, and to be called from nowhere", async () => {
    const { url } = await serve((_, response) => response.end(Buffer.alloc(9 * 1024 * 1024)));
    const graph = new StateGraph(State)
      .addNode("n", async () => ({ log: [await (await durableFetch(url)).text()] }))
      .addEdge(START, "n")
      .compile();
    await expect(graph.invoke({ log: [] })).rejects.toMatchObject({ code: "response_not_storable" });
    await expect(durableFetch(url)).rejects.toMatchObject({ code: "outside_of_task" });
  });
});
