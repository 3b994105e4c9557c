import { expectTypeOf, it } from "vitest";
import { Annotation, Command, END, type Overwrite, START, StateGraph } from "tidemark";

const State = Annotation.Root({
  topic: Annotation<string>(),
  log: Annotation<readonly string[], string>({
    reducer: (left, right) => [...left, right],
    default: () => [],
  }),
});

it("a definition gives the types of the state and of updates", () => {
  expectTypeOf<typeof State.State>().toEqualTypeOf<{ topic: string; log: readonly string[] }>();
  expectTypeOf<NonNullable<(typeof State.Update)["topic"]>>().toEqualTypeOf<string>();
  expectTypeOf<string>().toExtend<NonNullable<(typeof State.Update)["log"]>>();
  expectTypeOf<Overwrite<readonly string[]>>().toExtend<NonNullable<(typeof State.Update)["log"]>>();
  expectTypeOf<number>().not.toExtend<NonNullable<(typeof State.Update)["log"]>>();
});

it("nodes, edges and results are checked", async () => {
  const builder = new StateGraph(State)
    .addNode("a", (state, config) => {
      expectTypeOf(state).toEqualTypeOf<typeof State.State>();
      expectTypeOf(config.signal).toEqualTypeOf<AbortSignal>();
      return { log: state.topic };
    })
    .addNode("b", () => new Command({ update: { topic: "t" }, goto: "a" }))
    .addEdge(START, "a");
  builder.addEdge("a", END);
  // @ts-expect-error -- not the name of a node
  builder.addEdge("a", "nowhere");
  // @ts-expect-error -- not an update of this state
  new StateGraph(State).addNode("wrong", () => ({ log: 5 }));

  const graph = new StateGraph(State)
    .addNode("a", () => undefined)
    .addEdge(START, "a")
    .compile();
  const result = await graph.invoke({ topic: "t" });
  expectTypeOf(result.log).toEqualTypeOf<readonly string[]>();
  type Values = Awaited<ReturnType<(typeof graph)["getState"]>>["values"];
  expectTypeOf<Values>().toEqualTypeOf<typeof State.State>();
});
