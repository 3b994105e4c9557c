import {
  Annotation,
  Command,
  type CompiledStateGraph,
  type Interrupt,
  MemorySaver,
  START,
  StateGraph,
  type StateSnapshot,
} from "tidemark";

export const State = Annotation.Root({
  log: Annotation<unknown[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
  sum: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
  v: Annotation<unknown>(),
});

export type Builder = StateGraph<typeof State, typeof State.State, typeof State.Update, string>;
export type Graph = CompiledStateGraph<typeof State.State, typeof State.Update>;
export type Action = (
  state: typeof State.State,
) => typeof State.Update | Command | Promise<typeof State.Update> | undefined;

/** Nodes that all start at once. */
export function parallel(nodes: Readonly<Record<string, Action>>): Builder {
  const builder: Builder = new StateGraph(State);
  for (const [name, action] of Object.entries(nodes)) builder.addNode(name, action).addEdge(START, name);
  return builder;
}

/** Nodes that follow one another. */
export function chain(nodes: Readonly<Record<string, Action>>): Builder {
  const builder: Builder = new StateGraph(State);
  let last: string = START;
  for (const [name, action] of Object.entries(nodes)) {
    builder.addNode(name, action).addEdge(last, name);
    last = name;
  }
  return builder;
}

export const thread = { configurable: { thread_id: "t" } };

export function at(snapshot: { readonly config: StateSnapshot["config"] } | undefined): typeof thread {
  return { configurable: { ...thread.configurable, ...snapshot?.config.configurable } };
}

/** The same graph as after an eviction: compiled anew, on what the saver holds. */
export function evictable(builder: Builder): {
  saver: MemorySaver;
  graph: () => Graph;
} {
  const saver = new MemorySaver();
  return { saver, graph: () => builder.compile({ checkpointer: saver }) };
}

export async function historyOf(graph: Graph): Promise<StateSnapshot<typeof State.State>[]> {
  const found = [];
  for await (const snapshot of graph.getStateHistory(thread)) found.push(snapshot);
  return found;
}

export async function openQuestions(graph: Graph): Promise<readonly Interrupt[]> {
  return (await graph.getState(thread)).tasks.flatMap((task) => task.interrupts);
}

/** A resume that answers open questions by what they ask; the others stay open. */
export async function answering(graph: Graph, answers: Readonly<Record<string, unknown>>): Promise<Command> {
  const resume: Record<string, unknown> = {};
  for (const { id, value } of await openQuestions(graph))
    if (typeof value === "string" && Object.hasOwn(answers, value)) resume[id] = answers[value];
  return new Command({ resume });
}

export const later = (milliseconds = 1): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
