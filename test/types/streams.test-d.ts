import { expectTypeOf } from "vitest";
import {
  Annotation,
  Command,
  type InferInterruptInputType,
  type InferInterruptResumeType,
  type InferWriterType,
  INTERRUPT,
  type Interrupt,
  interrupt,
  START,
  StateGraph,
  writer,
} from "tidemark";
import { Pregel } from "tidemark/pregel";

// Checked by `npm run types`; nothing here is run.

const State = Annotation.Root({
  topic: Annotation<string>(),
  log: Annotation<string[], string>({ reducer: (log, line) => [...log, line], default: () => [] }),
});
type S = typeof State.State;
type U = typeof State.Update;

export async function streams(): Promise<void> {
  const graph = new StateGraph(State)
    .addNode("a", () => ({ log: "line" }))
    .addEdge(START, "a")
    .compile();
  for await (const chunk of graph.stream({}))
    expectTypeOf(chunk).toEqualTypeOf<Readonly<Record<string, U>>>();
  for await (const chunk of graph.stream({}, { streamMode: "values" }))
    expectTypeOf(chunk).toEqualTypeOf<S>();
  for await (const [namespace, chunk] of graph.stream({}, { streamMode: "values", subgraphs: true })) {
    expectTypeOf(namespace).toEqualTypeOf<readonly string[]>();
    expectTypeOf(chunk).toEqualTypeOf<S>();
  }
  for await (const [mode, chunk] of graph.stream({}, { streamMode: ["values", "updates"] })) {
    expectTypeOf(mode).toEqualTypeOf<"values" | "updates">();
    if (mode === "values") expectTypeOf(chunk).toEqualTypeOf<S>();
    else expectTypeOf(chunk).toEqualTypeOf<Readonly<Record<string, U>>>();
  }
  for await (const [namespace, mode, chunk] of graph.stream({}, { streamMode: ["tasks"], subgraphs: true })) {
    expectTypeOf(namespace).toEqualTypeOf<readonly string[]>();
    expectTypeOf(mode).toEqualTypeOf<"tasks">();
    expectTypeOf(chunk.name).toEqualTypeOf<string>();
  }
  for await (const { values } of graph.stream({}, { streamMode: "checkpoints" }))
    expectTypeOf(values).toEqualTypeOf<S>();

  const body = await graph.stream({}, { streamMode: "updates", encoding: "text/event-stream" });
  expectTypeOf(body).toExtend<ReadableStream<Uint8Array>>();
  const stream = await graph.stream({}, { streamMode: "values" });
  expectTypeOf((await stream.getReader().read()).value).toEqualTypeOf<S | undefined>();
  for await (const chunk of stream) expectTypeOf(chunk).toEqualTypeOf<S>();

  expectTypeOf((await graph.invoke({})).topic).toEqualTypeOf<string>();
  expectTypeOf(await graph.invoke({}, { streamMode: "updates" })).toEqualTypeOf<unknown[]>();
  expectTypeOf(await graph.invoke({}, { streamMode: ["values"] })).toEqualTypeOf<unknown[]>();
  expectTypeOf(await graph.batch([{}, null])).items.toHaveProperty("topic");
  expectTypeOf(graph).toExtend<Pregel>();
}

export async function questions(): Promise<void> {
  const ask = {
    approve: interrupt<{ amount: number }, boolean>,
    name: interrupt<"name?", { name: string }>,
  };
  expectTypeOf<InferInterruptInputType<typeof ask>>().toEqualTypeOf<{ amount: number } | "name?">();
  expectTypeOf<InferInterruptResumeType<typeof ask>>().toEqualTypeOf<boolean | { name: string }>();
  expectTypeOf<InferInterruptInputType<typeof ask.approve>>().toEqualTypeOf<{ amount: number }>();
  expectTypeOf<InferWriterType<typeof writer<number>>>().toEqualTypeOf<number>();

  const graph = new StateGraph(State, { interrupt: ask, writer: writer<{ done: number }> })
    .addNode("a", (state, config) => {
      expectTypeOf(config.interrupt.approve({ amount: 1 })).toEqualTypeOf<boolean>();
      expectTypeOf(config.interrupt.name("name?").name).toEqualTypeOf<string>();
      config.writer({ done: 1 });
      // @ts-expect-error The writer takes other chunks.
      config.writer("done");
      // @ts-expect-error The question has another form.
      config.interrupt.approve("1");
      return { topic: state.topic };
    })
    .addEdge(START, "a")
    .compile();
  for await (const chunk of graph.stream({}, { streamMode: "custom" }))
    expectTypeOf(chunk).toEqualTypeOf<{ done: number }>();
  await graph.invoke(new Command({ resume: true }));
  // @ts-expect-error No question has this answer.
  await graph.invoke(new Command({ resume: "yes" }));
  const result: unknown = await graph.invoke({});
  if (graph.isInterrupted(result))
    expectTypeOf(result[INTERRUPT]).toEqualTypeOf<readonly Interrupt<{ amount: number } | "name?">[]>();

  new StateGraph({ state: State, interrupt: interrupt<string, number> }).addNode("a", (_, config) => {
    expectTypeOf(config.interrupt("how many?")).toEqualTypeOf<number>();
    return {};
  });
  new StateGraph(State).addNode("a", (_, config) => {
    expectTypeOf(config.interrupt<string, number>("how many?")).toEqualTypeOf<number>();
    config.writer("anything");
    return {};
  });
}
