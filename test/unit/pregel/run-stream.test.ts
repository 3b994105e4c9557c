import { expect, it } from "vitest";
import { END, MemorySaver } from "tidemark";
import { chain, later, thread } from "./support.ts";

/** What `stream` gives: a promise of a stream, which is to be read, iterated or cancelled. */

/** `a`, then `b`, which waits until it is told to go on, or its run is cancelled. */
function gated() {
  const signals: AbortSignal[] = [];
  const ran: string[] = [];
  const gate = Promise.withResolvers<void>();
  const graph = chain({
    a: () => {
      ran.push("a");
      return { log: ["a"] };
    },
  })
    .addNode("b", async (_, { signal }) => {
      ran.push("b");
      signals.push(signal);
      await gate.promise;
      return { log: ["b"] };
    })
    .addEdge("a", "b")
    .addEdge("b", END)
    .compile({ checkpointer: new MemorySaver() });
  return { graph, ran, signals, goOn: gate.resolve };
}

it("the run begins with the call, and goes on when nobody reads", async () => {
  const { graph, ran, goOn } = gated();
  const stream = await graph.stream({}, thread);
  await later(5);
  expect(ran).toEqual(["a", "b"]);
  goOn();
  await later(5);
  expect((await graph.getState(thread)).next).toEqual([]);
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(chunks).toEqual([{ a: { log: ["a"] } }, { b: { log: ["b"] } }]);
  expect(await stream.next()).toEqual({ done: true, value: undefined });
});

it("can be read by a reader, piped, and be the body of a response", async () => {
  const { graph, goOn } = gated();
  goOn();
  const reader = (await graph.stream({}, thread)).getReader();
  expect(await reader.read()).toEqual({ done: false, value: { a: { log: ["a"] } } });
  expect(await reader.read()).toMatchObject({ done: false });
  expect(await reader.read()).toEqual({ done: true, value: undefined });

  const upper = new TransformStream<object, string>({
    transform: (chunk, controller) => controller.enqueue(Object.keys(chunk).join().toUpperCase()),
  });
  const names: string[] = [];
  for await (const name of (await graph.stream({}, thread)).pipeThrough(upper)) names.push(name);
  expect(names).toEqual(["A", "B"]);

  const body = await graph.stream({}, { ...thread, streamMode: "updates", encoding: "text/event-stream" });
  expect(await new Response(body).text()).toBe(
    'event: updates\ndata: {"a":{"log":["a"]}}\n\nevent: updates\ndata: {"b":{"log":["b"]}}\n\n',
  );
});

it.each(["cancel", "return", "dispose", "reader"] as const)(
  "the run is cancelled, and has ended, after %s",
  async (how) => {
    const { graph, signals } = gated();
    const stream = await graph.stream({}, thread);
    if (how === "reader") {
      const reader = stream.getReader();
      await reader.read();
      await later();
      await reader.cancel("enough");
    } else {
      expect(await stream.next()).toMatchObject({ done: false });
      await later();
      if (how === "cancel") await stream.cancel("enough");
      if (how === "return") await stream.return();
      if (how === "dispose") await stream[Symbol.asyncDispose]();
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    }
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    if (how === "cancel" || how === "reader") expect(signals[0]?.reason).toBe("enough");
    const state = await graph.getState(thread);
    expect([state.values.log, state.next]).toEqual([["a"], ["b"]]);
  },
);

it("cancelling ends the loop that somebody else is waiting in", async () => {
  const { graph } = gated();
  const stream = await graph.stream({}, thread);
  const loop = (async () => {
    const chunks: unknown[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  })();
  await later();
  await stream.cancel();
  expect(await loop).toEqual([{ a: { log: ["a"] } }]);

  const other = gated();
  const read = await other.graph.stream({}, thread);
  read.getReader();
  await later();
  await read.cancel();
  expect(other.signals.map(({ aborted }) => aborted)).toEqual([true]);
});

it("what is refused before the run begins rejects the call; what fails later comes after all chunks", async () => {
  const graph = chain({
    a: () => ({ log: ["a"] }),
    b: () => {
      throw new Error("no further");
    },
  }).compile({ checkpointer: new MemorySaver() });
  await expect(graph.stream({}, { ...thread, recursionLimit: 0 })).rejects.toMatchObject({
    code: "invalid_recursion_limit",
  });
  const refused = graph.stream({}, { ...thread, recursionLimit: 0 });
  await expect(refused[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: "invalid_recursion_limit",
  });

  const stream = await graph.stream({}, thread);
  await later();
  expect(await stream.next()).toMatchObject({ done: false });
  await expect(stream.next()).rejects.toThrow("no further");
  // One that fails and is never read is nobody's unhandled rejection.
  await graph.stream({}, { configurable: { thread_id: "unread" } });
  await later();
});

it("a second run of the thread is refused as long as the first goes on", async () => {
  const { graph, goOn } = gated();
  const first = await graph.stream({}, thread);
  const second = await graph.stream({}, thread);
  await expect(second.next()).rejects.toMatchObject({ code: "thread_busy" });
  goOn();
  const nodes: string[] = [];
  for await (const chunk of first) nodes.push(...Object.keys(chunk));
  expect(nodes).toEqual(["a", "b"]);
});
