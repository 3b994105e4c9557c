import * as valibot from "valibot";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { z as zod3 } from "zod3";
import {
  Annotation,
  Command,
  type ConditionalEdgeRouter,
  END,
  type GraphNode,
  type LangGraphRunnableConfig,
  type Message,
  type Messages,
  MessagesAnnotation,
  MessagesValue,
  MessagesZodState,
  type Overwrite,
  type OverwriteUpdate,
  ReducedValue,
  Send,
  START,
  StateGraph,
  StateSchema,
  UntrackedValue,
  withLangGraph,
} from "tidemark";

// Checked by `npm run types`; nothing here is run.

const State = Annotation.Root({
  topic: Annotation<string>(),
  log: Annotation<string[], string>({ reducer: (log, line) => [...log, line], default: () => [] }),
});
type S = typeof State.State;
type U = typeof State.Update;

export function definitions(): void {
  expectTypeOf<S>().toEqualTypeOf<{ topic: string; log: string[] }>();
  expectTypeOf<{ topic: "t"; log: "line" }>().toExtend<U>();
  expectTypeOf<{ log: string[] }>().not.toExtend<U>();
  expectTypeOf<{ log: OverwriteUpdate<string[]> }>().toExtend<U>();

  const Uncalled = Annotation.Root({ topic: Annotation<string> });
  expectTypeOf<typeof Uncalled.State>().toEqualTypeOf<{ topic: string }>();
  expectTypeOf<typeof Uncalled.Update>().toEqualTypeOf<{ topic?: string }>();

  const Schema = new StateSchema({
    n: z.number().default(1),
    d: z.coerce.number<string>(),
    list: new ReducedValue(z.array(z.string()).default([]), {
      inputSchema: z.number(),
      reducer: (list, next) => {
        expectTypeOf(list).toEqualTypeOf<string[]>();
        expectTypeOf(next).toEqualTypeOf<number>();
        return [...list, String(next)];
      },
    }),
    sum: new ReducedValue(z.number(), { reducer: (left, right) => left + right }),
    temp: new UntrackedValue(zod3.boolean()),
    old: zod3.string().optional(),
    other: valibot.optional(valibot.number(), 3),
    messages: MessagesValue,
  });
  expectTypeOf<typeof Schema.State>().toEqualTypeOf<{
    n: number;
    d: number;
    list: string[];
    sum: number;
    temp: boolean;
    old: string | undefined;
    other: number;
    messages: Message[];
  }>();
  expectTypeOf<Required<typeof Schema.Update>["d"]>().toEqualTypeOf<string>();
  expectTypeOf<Required<typeof Schema.Update>["list"]>().toEqualTypeOf<number | OverwriteUpdate<string[]>>();
  expectTypeOf<Required<typeof Schema.Update>["sum"]>().toEqualTypeOf<number | OverwriteUpdate<number>>();
  expectTypeOf<{ other: undefined; n: undefined }>().toExtend<typeof Schema.Update>();
}

const objectState = {
  z4: z.object({ n: z.number().default(1), list: withLangGraph(z.array(z.string()), linesOf(z.string())) }),
  z3: zod3.object({
    n: zod3.number().default(1),
    list: withLangGraph(zod3.array(zod3.string()), linesOf(zod3.string())),
  }),
  valibot: valibot.object({
    n: valibot.optional(valibot.number(), 1),
    list: withLangGraph(valibot.array(valibot.string()), linesOf(valibot.string())),
  }),
};

function linesOf<Schema>(schema: Schema): {
  reducer: { schema: Schema; fn: (list: string[], line: string) => string[] };
  default: () => string[];
} {
  return { reducer: { schema, fn: (list, line) => [...list, line] }, default: () => [] };
}

export function objectSchemas(): void {
  type Expected = { readonly n: number; readonly list: string[] };
  new StateGraph(objectState.z4).addNode("a", (state) => {
    expectTypeOf(state).toExtend<Expected>();
    expectTypeOf(state.n).toEqualTypeOf<number>();
    return { list: "line" };
  });
  new StateGraph(objectState.z3).addNode("a", (state) => {
    expectTypeOf(state).toExtend<Expected>();
    return { list: "line", n: undefined };
  });
  new StateGraph(objectState.valibot).addNode("a", (state) => {
    expectTypeOf(state).toExtend<Expected>();
    return { list: "line" };
  });
  // @ts-expect-error -- an update of a list is a line
  new StateGraph(objectState.z4).addNode("a", () => ({ list: ["line"] }));
  // @ts-expect-error -- not a number
  new StateGraph(objectState.valibot).addNode("a", () => ({ n: "1" }));
  // @ts-expect-error -- text defines no state
  void new StateGraph("text");
}

export async function inputAndOutput(): Promise<void> {
  const graph = new StateGraph({
    state: State,
    input: Annotation.Root({ topic: Annotation<string>() }),
    output: z.object({ answer: z.number() }),
  })
    .addNode("a", (state) => {
      expectTypeOf(state).toEqualTypeOf<S>();
      return { log: "x" };
    })
    .addEdge(START, "a")
    .compile();
  const result = await graph.invoke({ topic: "t" });
  expectTypeOf(result.answer).toEqualTypeOf<number>();
  // @ts-expect-error -- the output has no log
  void result.log;
  // @ts-expect-error -- the input's topic is text
  await graph.invoke({ topic: 5 });
  await graph.invoke(null);
  await graph.invoke(new Command({ update: { topic: "t" }, resume: 1 }));
  expectTypeOf((await graph.getState({})).values).toEqualTypeOf<S>();

  const both = new StateGraph({
    input: State,
    output: Annotation.Root({ answer: Annotation<number>() }),
  })
    .addNode("a", (state) => ({ log: state.topic }))
    .addEdge(START, "a")
    .compile();
  expectTypeOf((await both.invoke({ log: "l" })).answer).toEqualTypeOf<number>();
}

export async function contexts(): Promise<void> {
  const Context = z.object({ user: z.string(), limit: z.number().default(5) });
  const graph = new StateGraph(State, Context)
    .addNode("a", (_state, config) => {
      expectTypeOf(config.context).toEqualTypeOf<{ user: string; limit: number } | undefined>();
      return {};
    })
    .addEdge(START, "a")
    .addConditionalEdges("a", (_state, config) => (config.context?.user === "u" ? END : "a"))
    .compile();
  await graph.invoke({ topic: "t" }, { context: { user: "u", limit: 1 } });
  // @ts-expect-error -- the user is text
  await graph.invoke({ topic: "t" }, { context: { user: 5, limit: 1 } });

  new StateGraph({ state: State, context: Context }).addNode("a", (_state, config) => {
    expectTypeOf(config.context?.user).toEqualTypeOf<string | undefined>();
    return {};
  });
  new StateGraph(State, { context: Context }).addNode("a", (_state, config) => {
    expectTypeOf(config.context?.user).toEqualTypeOf<string | undefined>();
    return {};
  });
  new StateGraph(State, Annotation.Root({ user: Annotation<string>() })).addNode("a", (_state, config) => {
    expectTypeOf(config.context?.user).toEqualTypeOf<string | undefined>();
    return {};
  });
  const plain = (_state: S, config: LangGraphRunnableConfig): U => ({ topic: typeof config.signal });
  new StateGraph(State).addNode("a", plain);
}

export function nodesAndEdges(): void {
  const builder = new StateGraph(State)
    .addNode("a", () => ({ log: "x" }))
    .addNode({ b: (state) => ({ log: state.topic }), c: () => undefined })
    .addNode([
      ["d", (state: S) => ({ log: state.topic })],
      ["e", () => ({}), { defer: true }],
    ])
    .addSequence({ f: () => ({}), g: () => ({}) })
    .addSequence([["h", () => ({})]])
    .addNode("sent", (task: { item: number }) => ({ log: `${task.item}` }))
    .addNode("own", (state) => ({ log: state.secret.toFixed() }), {
      input: Annotation.Root({ secret: Annotation<number>() }),
      errorHandler: (state, error) => {
        expectTypeOf(state).toEqualTypeOf<{ secret: number }>();
        expectTypeOf(error.node).toEqualTypeOf<string>();
        return new Command({ goto: "a" });
      },
    })
    .addNode("private", () => ({ secret: 5 }))
    .addNode(
      "commands",
      () => new Command({ update: { log: "x" }, goto: ["a", new Send("sent", { item: 1 })] }),
      {
        ends: ["a", "sent", END],
      },
    );
  builder
    .addEdge("a", "b")
    .addEdge(["c", "d"], "e")
    .addEdge("f", END)
    .addEdge(START, "own")
    .setEntryPoint("g");
  builder.compile({ interruptBefore: ["a"], interruptAfter: "*" });
  // @ts-expect-error -- not the name of a node
  builder.addEdge("a", "nowhere");
  // @ts-expect-error -- not the name of a node
  builder.compile({ interruptBefore: ["nowhere"] });
  // @ts-expect-error -- not an update
  builder.addNode("wrong", () => ({ topic: 5 }));
  // @ts-expect-error -- not an update, in a Command
  builder.addNode("wrong", () => new Command({ update: { topic: 5 } }));
  // @ts-expect-error -- not an update, beside a right one
  builder.addNode({ right: () => ({}), wrong: () => ({ topic: 5 }) });
  // @ts-expect-error -- not an option
  builder.addNode("wrong", () => ({}), { differ: true });
}

export function apartFromGraphs(): void {
  const builder = new StateGraph({ state: State, nodes: ["a", "b"] });
  const node: typeof builder.Node = (state) => new Command({ update: { log: state.topic }, goto: "b" });
  builder.addNode("a", node);
  // @ts-expect-error -- not one of the nodes
  const wrong: typeof builder.Node = () => new Command({ goto: "nowhere" });
  void wrong;
  const ofState: typeof State.Node = (state) => ({ log: state.topic });
  builder.addNode("b", ofState);

  const Schema = new StateSchema({ n: z.number() });
  const byBag: GraphNode<{ InputSchema: typeof Schema; OutputSchema: typeof State; Nodes: "a" }> = (
    state,
  ) => {
    expectTypeOf(state).toEqualTypeOf<{ n: number }>();
    return new Command({ update: { log: "x" }, goto: "a" });
  };
  const bySchema: GraphNode<typeof Schema> = (state) => ({ n: state.n + 1 });
  const route: ConditionalEdgeRouter<typeof Schema, unknown, "a" | "b"> = (state) =>
    state.n > 1 ? "a" : END;
  void byBag;
  new StateGraph(Schema).addNode("a", bySchema).addConditionalEdges("a", route);
}

interface Older {
  topic: string;
  log: string[];
}

export async function olderForms(): Promise<void> {
  const graph = new StateGraph<Older>({
    channels: {
      topic: null,
      log: { reducer: (log, more) => log.concat(more), default: () => [] },
    },
  })
    .addNode("a", (state) => {
      expectTypeOf(state).toEqualTypeOf<Older>();
      return { log: [state.topic] };
    })
    .addEdge(START, "a")
    .compile();
  expectTypeOf((await graph.invoke({ topic: "t" })).log).toEqualTypeOf<string[]>();
  void new StateGraph<Older>({
    channels: { topic: null, log: { value: (log: string[], line: string) => [...log, line] } },
  });
}

export function messages(): void {
  expectTypeOf<typeof MessagesAnnotation.State>().toEqualTypeOf<{ messages: Message[] }>();
  expectTypeOf<Messages>().toExtend<Required<typeof MessagesAnnotation.Update>["messages"]>();
  const More = Annotation.Root({ ...MessagesAnnotation.spec, topic: Annotation<string>() });
  expectTypeOf<typeof More.State>().toEqualTypeOf<{ messages: Message[]; topic: string }>();
  new StateGraph(MessagesZodState.extend({ n: z.number() })).addNode("a", (state) => {
    expectTypeOf(state.messages).toEqualTypeOf<Message[]>();
    expectTypeOf(state.n).toEqualTypeOf<number>();
    return { messages: ["user", "hi"], n: 1 };
  });
}

/** TYP-01: a graph that is built in several statements, from names that are known or from any. */
export function inStatements(some: boolean): void {
  const known = new StateGraph({ state: State, nodes: ["a", "b"] });
  known.addNode("a", () => ({ log: "a" }));
  if (some) known.addNode("b", () => ({ log: "b" }));
  known.addEdge(START, "a");
  known.addEdge("a", "b");
  // @ts-expect-error -- not one of the names
  known.addEdge("a", "nowhere");
  known.compile({ interruptBefore: ["b"] });

  const names: readonly string[] = ["x", "y"];
  const any = new StateGraph({ state: State, nodes: names });
  for (const name of names) any.addNode(name, (state) => ({ log: state.topic }));
  any.addEdge(START, "x");
  any.addConditionalEdges("x", (state) => (some ? "y" : state.topic), ["y", END]);
  any.addEdge(["x", "y"], "z");
  // @ts-expect-error -- updates are checked all the same
  any.addNode("wrong", () => ({ topic: 5 }));
}

/** TYP-03: what one copy of the package makes is for another copy of the same form: no class has private parts. */
export function copies(): void {
  type Form<T> = { [K in keyof T]: T[K] };
  expectTypeOf<Form<Command>>().toExtend<Command>();
  expectTypeOf<Form<Send>>().toExtend<Send>();
  expectTypeOf<Form<Overwrite<number>>>().toExtend<Overwrite<number>>();
  expectTypeOf<Form<LangGraphRunnableConfig>>().toExtend<LangGraphRunnableConfig>();
}

/** TYP-05: a context has its type, and `configurable` stays free beside it. */
export async function contextBesideConfigurable(): Promise<void> {
  const graph = new StateGraph(State, z.object({ user: z.string() }))
    .addNode("a", (_state, config) => {
      expectTypeOf(config.context).toEqualTypeOf<{ user: string } | undefined>();
      return { log: String(config.configurable?.["foo"]) };
    })
    .addEdge(START, "a")
    .compile();
  const configurable = { thread_id: "t", foo: 1, deep: { bar: [true] } };
  await graph.invoke({ topic: "t" }, { configurable, context: { user: "u" } });
  await graph.stream({ topic: "t" }, { configurable, context: { user: "u" }, streamMode: "values" });
  await graph.getState({ configurable });
  // @ts-expect-error -- a context without a user
  await graph.invoke({ topic: "t" }, { configurable, context: {} });
}

export async function stateOfOneValue(): Promise<void> {
  const lines = Annotation<string[], string | string[]>({
    reducer: (left, right) => left.concat(right),
    default: () => [],
  });
  const graph = new StateGraph(Annotation.Root({ __root__: lines }))
    .addNode("a", (state) => {
      expectTypeOf(state).toEqualTypeOf<string[]>();
      return "line";
    })
    .addEdge(START, "a")
    .compile();
  expectTypeOf(await graph.invoke(["in"])).toExtend<string[]>();
  expectTypeOf((await graph.getState({})).values).toEqualTypeOf<string[]>();
  // @ts-expect-error Lines are texts.
  await graph.invoke([1]);
}
