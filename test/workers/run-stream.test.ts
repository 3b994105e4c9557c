import { expect, it } from "vitest";
import { Annotation, END, START, StateGraph } from "tidemark";

/** A graph that runs in the Worker itself: what `stream` gives there is a stream of workerd. */

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
});

it("a stream of a run in workerd is iterated, cancelled and sent", async () => {
  let signal: AbortSignal | undefined;
  const graph = new StateGraph(State)
    .addNode("a", () => ({ log: ["a"] }))
    .addNode("b", async (state, config) => {
      signal = config.signal;
      if (state.log[0] === "wait") await new Promise(() => undefined);
      return { log: ["b"] };
    })
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", END)
    .compile();

  const nodes: string[] = [];
  for await (const chunk of graph.stream({})) nodes.push(...Object.keys(chunk));
  expect(nodes).toEqual(["a", "b"]);

  const stream = await graph.stream({ log: ["wait"] });
  expect(stream).toBeInstanceOf(ReadableStream);
  expect(await stream.next()).toEqual({ done: false, value: { a: { log: ["a"] } } });
  await stream.cancel("enough");
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  expect(signal?.reason).toBe("enough");

  const body = await graph.stream({}, { streamMode: "updates", encoding: "text/event-stream" });
  expect(await new Response(body).text()).toContain('event: updates\ndata: {"b":{"log":["b"]}}\n\n');
});
