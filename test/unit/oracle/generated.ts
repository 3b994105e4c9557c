import * as fc from "fast-check";
import { END, START, type Builder, type Compiled, type Library, type State } from "./engine.ts";
import { stateOf } from "./cases.ts";
import { idOf, type Build, type Script, type Session } from "./session.ts";

/** Random graphs and what is done with them, as plain data that reads well when a run of them fails. Nodes are numbers. */

export interface GraphPlan {
  readonly nodes: readonly NodePlan[];
  readonly entries: readonly number[];
  /**
   * The n-th join starts node `join<n>` when all sources have run. Nothing else starts that node: what LangGraph does
   * when two triggers of a node come together differs.
   */
  readonly joins: readonly (readonly number[])[];
}

export interface NodePlan {
  readonly asks: number;
  /** Whether the first call throws; of one node at most: what becomes of parallel failures differs. */
  readonly fails: boolean;
  readonly edges: readonly number[];
  /** What a conditional edge chooses from, by the state. */
  readonly routes: readonly Route[];
  /** Where a Command goes. */
  readonly goto: readonly Route[];
  /** Whether a graph in the node does what it does: one that it calls, once or twice, or one that it is. */
  readonly inside?: "called" | "called twice" | "node";
}

/** "end", a node, or that many Sends to it. */
export type Route = "end" | number | { readonly send: number; readonly times: number };

export type Step =
  | { readonly invoke: number }
  | { readonly stream: number }
  /** Bits: which of the open questions are answered. */
  | { readonly answer: number }
  | { readonly command: number; readonly goto: number }
  | { readonly update: number; readonly as: number; readonly at?: number }
  /** Runs on at a checkpoint, counted from the newest. */
  | { readonly goOn: number }
  | "go on";

export interface Plan {
  readonly graph: GraphPlan;
  readonly steps: readonly Step[];
}

const NODES = 4;
/** The sum up to which conditional edges send: Sends that send on would double the tasks with each superstep. */
const MOST_SENDING = 5;
const node = fc.nat(NODES - 1);
const nodes = fc.uniqueArray(node, { maxLength: 2 });
const route: fc.Arbitrary<Route> = fc.oneof(
  fc.constant<Route>("end"),
  node,
  fc.record({ send: node, times: fc.integer({ min: 1, max: 2 }) }),
);

const nodePlan: fc.Arbitrary<Omit<NodePlan, "fails">> = fc.record({
  asks: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 2 }) },
  ),
  edges: nodes,
  routes: fc.array(route, { maxLength: 3 }),
  goto: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(route, { maxLength: 2 }) },
  ),
});

const nestedPlan = fc
  .record({
    plan: nodePlan,
    inside: fc.option(fc.constantFrom<NonNullable<NodePlan["inside"]>>("called", "called twice", "node"), {
      nil: undefined,
    }),
  })
  .map(({ plan: planned, inside }) => (inside === undefined ? planned : { ...planned, goto: [], inside }));

const graphOf = (planned: fc.Arbitrary<Omit<NodePlan, "fails">>): fc.Arbitrary<GraphPlan> =>
  fc
    .record({
      nodes: fc.array(planned, { minLength: NODES, maxLength: NODES }),
      failing: fc.option(node, { nil: undefined }),
      entries: fc.uniqueArray(node, { minLength: 1, maxLength: 3 }),
      joins: fc.array(fc.uniqueArray(node, { minLength: 2, maxLength: 3 }), { maxLength: 2 }),
    })
    .map(({ nodes: plans, failing, ...rest }) => ({
      ...rest,
      nodes: plans.map((plan, index) => ({ ...plan, fails: index === failing })),
    }));

const small = fc.nat(5);
const step: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: fc.record({ invoke: small }) },
  { weight: 2, arbitrary: fc.record({ stream: small }) },
  { weight: 4, arbitrary: fc.record({ answer: fc.integer({ min: 1, max: 7 }) }) },
  { weight: 2, arbitrary: fc.record({ update: small, as: node }) },
  { weight: 2, arbitrary: fc.constant<Step>("go on") },
];
const command: fc.WeightedArbitrary<Step> = {
  weight: 2,
  arbitrary: fc.record({ command: small, goto: node }),
};
const travel: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 1, arbitrary: fc.record({ update: small, as: node, at: small }) },
  { weight: 3, arbitrary: fc.record({ goOn: small }) },
];
// Not both in one thread: to LangGraph, a command belongs to the checkpoint it was applied to, also for later branches.
const steps = fc
  .oneof(
    fc.array(fc.oneof(...step, command), { minLength: 1, maxLength: 6 }),
    fc.array(fc.oneof(...step, ...travel), { minLength: 1, maxLength: 6 }),
  )
  .map((list): readonly Step[] => [{ invoke: 0 }, ...list]);

export const plan: fc.Arbitrary<Plan> = fc.record({ graph: graphOf(nodePlan), steps });
/** With graphs inside nodes. */
export const planWithGraphs: fc.Arbitrary<Plan> = fc.record({ graph: graphOf(nestedPlan), steps });

const nameOf = (index: number): string => `n${index}`;

export function buildOf({ nodes: plans, entries, joins }: GraphPlan): Build {
  return (library, counters) => {
    const builder = new library.StateGraph(stateOf(library));
    plans.forEach((nodePlanned, index) => {
      const name = nameOf(index);
      if (nodePlanned.inside === "node") {
        builder.addNode(name, sharingGraph(library, nodePlanned, name));
        return;
      }
      const inner = nodePlanned.inside && innerGraph(library, nodePlanned, name);
      builder.addNode(nameOf(index), async (state) => {
        if (inner !== undefined) return outputOfCalls(inner, nodePlanned, state);
        if (nodePlanned.fails && counters.isFirst(nameOf(index))) {
          // What runs beside it ends first: LangGraph would abort it.
          await new Promise((resolve) => setTimeout(resolve, 3));
          throw new Error(`${nameOf(index)} failed`);
        }
        return outputOf(library, nodePlanned, nameOf(index), state);
      });
    });
    for (const entry of entries) builder.addEdge(START, nameOf(entry));
    // It may lead anywhere, so that every node counts as reachable.
    builder.addConditionalEdges(START, () => END);
    joins.forEach((sources, index) => {
      builder
        .addNode(`join${index}`, () => ({ log: [`join${index}`] }))
        .addEdge(sources.map(nameOf), `join${index}`);
    });
    plans.forEach((nodePlanned, index) => addEdges(library, builder, nodePlanned, nameOf(index)));
    return builder;
  };
}

/** Says its name, then asks the node's questions, each in a node of its own. */
function innerGraph(library: Library, { asks }: NodePlan, name: string): Compiled {
  const builder = new library.StateGraph(stateOf(library))
    .addNode("begin", () => ({ log: [`${name} begins`], sum: 1 }))
    .addEdge(START, "begin");
  let last = "begin";
  for (let ordinal = 0; ordinal < asks; ordinal++) {
    const next = `ask${ordinal}`;
    builder.addNode(next, () => ({ log: [library.interrupt(`${name}.${ordinal}?`)] })).addEdge(last, next);
    last = next;
  }
  return builder.compile();
}

/** Shares two numbers with the graph around. A list would double with every visit: what comes in goes out too. */
function sharingGraph(library: Library, { asks }: NodePlan, name: string): Compiled {
  const { Annotation } = library;
  const state = Annotation.Root({
    sum: Annotation({ reducer: (_: number, right: number) => right, default: () => 0 }),
    first: Annotation({ reducer: (left: unknown) => left }),
  });
  const builder = new library.StateGraph(state).addNode("begin", () => ({ sum: 1 })).addEdge(START, "begin");
  if (asks > 0) {
    builder.addNode("ask", () => ({ first: library.interrupt(`${name}.0?`) })).addEdge("begin", "ask");
  }
  return builder.compile();
}

async function outputOfCalls(inner: Compiled, { inside }: NodePlan, state: State): Promise<State> {
  const sent = state["sent"] === undefined ? [] : [state["sent"]];
  const first = await inner.invoke({ log: sent });
  const second = inside === "called twice" ? await inner.invoke({ first: "second" }) : {};
  return { log: [first["log"], second["log"]], sum: 1 };
}

function addEdges(library: Library, builder: Builder, { edges, routes }: NodePlan, name: string): void {
  for (const target of edges) builder.addEdge(name, nameOf(target));
  if (routes.length === 0) return;
  builder.addConditionalEdges(name, (state) => {
    const sum = Number(state["sum"]);
    const chosen = routes[sum % routes.length] ?? "end";
    return sum > MOST_SENDING && typeof chosen === "object" ? END : targetsOf(library, chosen);
  });
}

function outputOf(library: Library, { asks, goto }: NodePlan, name: string, state: State): unknown {
  const log: unknown[] = [name];
  if (state["sent"] !== undefined) log.push(state["sent"]);
  for (let ordinal = 0; ordinal < asks; ordinal++) log.push(library.interrupt(`${name}.${ordinal}?`));
  const update = { log, sum: 1 };
  return goto.length === 0 || state["sent"] !== undefined
    ? update
    : new library.Command({ update, goto: goto.flatMap((target) => targetsOf(library, target)) });
}

function targetsOf(library: Library, target: Route): unknown[] {
  if (target === "end") return [END];
  if (typeof target === "number") return [nameOf(target)];
  return Array.from(
    { length: target.times },
    (_, sent) => new library.Send(nameOf(target.send), { sent, sum: 0 }),
  );
}

const LIMIT = 5;

export function scriptOf(list: readonly Step[]): Script {
  return async (session) => {
    for (const [index, what] of list.entries()) await take(session, what, `s${index}`);
  };
}

async function take(session: Session, what: Step, label: string): Promise<void> {
  const open = await session.questions();
  if (what === "go on") {
    // LangGraph may give an old answer to the next question then.
    if (open.length === 0) await session.invoke(null, { limit: LIMIT });
  } else if ("invoke" in what) await session.invoke({ log: [label], sum: what.invoke }, { limit: LIMIT });
  else if ("stream" in what) {
    await session.stream({ log: [label], sum: what.stream }, ["updates", "values"], { limit: LIMIT });
  } else if ("answer" in what) {
    if (open.length === 0) return;
    const answers = open.map((_, position) =>
      what.answer & (1 << position) ? `${label}.${position}` : undefined,
    );
    if (answers.some((answer) => answer !== undefined)) await session.answer(answers, { limit: LIMIT });
  } else if ("command" in what) {
    // LangGraph runs what has finished beside an open question, or a failure, again then ("Answers" in differences.md).
    if (await session.hasFinishedTasks()) return;
    const update = { log: [label], sum: what.command };
    await session.invoke(session.command({ update, goto: nameOf(what.goto) }), { limit: LIMIT });
  } else if ("update" in what) {
    // LangGraph takes a task that stands at its second question for a finished one.
    if (open.some((question) => String(question.value).endsWith(".1?"))) return;
    const update = { log: [label], sum: what.update };
    // LangGraph leaves finished tasks out of an update at the newest checkpoint by its name.
    const named = what.at === 0 ? undefined : what.at;
    await session.update(update, nameOf(what.as), await at(session, named));
  } else {
    // LangGraph asks what was answered anew at the newest checkpoint by its name, when that is a fork.
    if (what.goOn === 0 && open.length > 0) return;
    await session.invoke(null, { limit: LIMIT, ...(await at(session, what.goOn)) });
  }
}

async function at(session: Session, index: number | undefined): Promise<{ at?: string }> {
  if (index === undefined) return {};
  const found = (await session.history())[index];
  return found === undefined ? {} : { at: idOf(found) };
}
