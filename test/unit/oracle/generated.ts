import * as fc from "fast-check";
import {
  END,
  START,
  type Builder,
  type Compiled,
  type CompileOptions,
  type Library,
  type NodeConfig,
  type State,
} from "./engine.ts";
import { stateOf } from "./cases.ts";
import { idOf, type Build, type CallOptions, type Counters, type Script, type Session } from "./session.ts";

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
  /** How often a call throws first. Of one node at most: what becomes of parallel failures differs ("Supersteps"). */
  readonly fails: number;
  /** What becomes of a failure: another attempt, or an error handler, which says so or goes somewhere. */
  readonly policy?: Policy;
  /** Whether it waits until nothing else is left to run. */
  readonly defers?: boolean;
  readonly edges: readonly number[];
  /** What a conditional edge chooses from, by the state. */
  readonly routes: readonly Route[];
  /** Where a Command goes. */
  readonly goto: readonly Route[];
  /** Whether a graph in the node does what it does: one that it calls, once or twice, or one that it is. */
  readonly inside?: "called" | "called twice" | "node";
}

export interface Policy {
  readonly attempts?: number;
  readonly handler?: readonly Route[];
}

/** "end", a node, or that many Sends to it. */
export type Route = "end" | number | { readonly send: number; readonly times: number };

export type Step =
  | { readonly invoke: number }
  | { readonly stream: number; readonly modes: readonly StreamMode[] }
  /** Bits: which of the open questions are answered. */
  | { readonly answer: number }
  | { readonly command: number; readonly goto: number }
  | { readonly update: number; readonly as: number; readonly at?: number }
  /** Runs on at a checkpoint, counted from the newest. */
  | { readonly goOn: number }
  | "go on";

export type StreamMode = "updates" | "values" | "tasks" | "checkpoints" | "custom";

export interface Plan {
  readonly graph: GraphPlan;
  readonly steps: readonly Step[];
  /** Where every run stops: before a node, after one. */
  readonly stops?: { readonly before?: number; readonly after?: number };
  /** Of all runs; LangGraph's default unless said otherwise. */
  readonly durability?: Durability;
}

export type Durability = "async" | "exit" | "sync";

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

type Node = Omit<NodePlan, "fails" | "policy">;

const nodePlan: fc.Arbitrary<Node> = fc.record({
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
  defers: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const nestedPlan = fc
  .record({
    plan: nodePlan,
    inside: fc.option(fc.constantFrom<NonNullable<NodePlan["inside"]>>("called", "called twice", "node"), {
      nil: undefined,
    }),
  })
  .map(({ plan: planned, inside }) => (inside === undefined ? planned : { ...planned, goto: [], inside }));

/** Without a handler and another attempt the node fails once: two tasks of it would fail side by side ("Supersteps"). */
const failure: fc.Arbitrary<Pick<NodePlan, "fails" | "policy">> = fc.oneof(
  fc.constant({ fails: 1 }),
  fc.record({ fails: fc.integer({ min: 1, max: 2 }), policy: fc.constant<Policy>({ attempts: 2 }) }),
  fc.record({
    fails: fc.integer({ min: 1, max: 3 }),
    policy: fc.record({
      attempts: fc.integer({ min: 1, max: 2 }),
      handler: fc.oneof(fc.constant([]), fc.array(route, { minLength: 1, maxLength: 2 })),
    }),
  }),
);

const graphOf = (planned: fc.Arbitrary<Node>): fc.Arbitrary<GraphPlan> =>
  fc
    .record({
      nodes: fc.array(planned, { minLength: NODES, maxLength: NODES }),
      failing: fc.option(fc.record({ node, failure }), { nil: undefined }),
      entries: fc.uniqueArray(node, { minLength: 1, maxLength: 3 }),
      joins: fc.array(fc.uniqueArray(node, { minLength: 2, maxLength: 3 }), { maxLength: 2 }),
    })
    .map(({ nodes: plans, failing, ...rest }) => {
      const failed = plans.map((plan, index) => ({
        ...plan,
        ...(index === failing?.node ? failing.failure : { fails: 0 }),
        // Another attempt begins its graph anew in LangGraph, where no answer finds its question ("Policies of nodes").
        ...(index === failing?.node && plan.inside !== undefined && failing.failure.policy
          ? { asks: 0 }
          : {}),
      }));
      return { ...rest, nodes: plans.some(({ defers }) => defers) ? failed.map(withoutSends) : failed };
    });

/** In LangGraph a deferred node does not wait for Sends ("Supersteps"). */
function withoutSends(planned: NodePlan): NodePlan {
  const toNodes = (routes: readonly Route[]): readonly Route[] =>
    routes.map((target) => (typeof target === "object" ? target.send : target));
  const { routes, goto, policy } = planned;
  const handler = policy?.handler && { policy: { ...policy, handler: toNodes(policy.handler) } };
  return { ...planned, routes: toNodes(routes), goto: toNodes(goto), ...handler };
}

const small = fc.nat(5);
const modes = fc.subarray<StreamMode>(["updates", "values", "tasks", "checkpoints", "custom"], {
  minLength: 1,
});
const step: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: fc.record({ invoke: small }) },
  { weight: 2, arbitrary: fc.record({ stream: small, modes }) },
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
    fc.array(fc.oneof(...step, command), { minLength: 1, maxLength: 5 }),
    fc.array(fc.oneof(...step, ...travel), { minLength: 1, maxLength: 5 }),
  )
  .map((list): readonly Step[] => [{ invoke: 0 }, ...list]);

const stops = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ before: node, after: node }, { requiredKeys: [] }) },
);

const durability = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.record({ durability: fc.constantFrom<Durability>("async", "exit", "sync") }),
  },
);

/** LangGraph forgets the first of two graphs in a task, and asks its questions again, when a run stores at its end ("Runs"). */
function calledOnce(graph: GraphPlan): GraphPlan {
  const once = ({ inside, ...planned }: NodePlan): NodePlan =>
    inside === undefined ? planned : { ...planned, inside: inside === "called twice" ? "called" : inside };
  return { ...graph, nodes: graph.nodes.map(once) };
}

/** One in three has graphs inside its nodes. */
export const plan: fc.Arbitrary<Plan> = fc
  .record({
    graph: fc.oneof(
      { weight: 2, arbitrary: graphOf(nodePlan) },
      { weight: 1, arbitrary: graphOf(nestedPlan) },
    ),
    steps,
    stops,
    durable: durability,
  })
  .map(({ durable, ...given }) => {
    const { durability: mode }: Pick<Plan, "durability"> = durable;
    return { durable, planned: mode === "exit" ? { ...given, graph: calledOnce(given.graph) } : given };
  })
  .map(({ durable, planned }) => ({
    ...planned,
    ...durable,
    steps: planned.steps
      .filter(isComparable({ ...planned, ...durable }))
      .map(shownBy({ ...planned, ...durable })),
  }));

/**
 * In LangGraph, a Command to a deferred node of a thread at rest does nothing ("Supersteps"), and one of a run that stores
 * at its end is applied again by the next ("History and views").
 */
function isComparable({ graph, durability: durable }: Omit<Plan, "steps">): (each: Step) => boolean {
  // It loses what a handler has done, too, when something beside it waits and the thread is changed from outside.
  const loses = hidesTasks({ graph });
  return (each) => {
    if (typeof each === "string") return true;
    if (loses && ("update" in each || "goOn" in each || "command" in each)) return false;
    return !("command" in each) || (!graph.nodes[each.goto]?.defers && durable !== "exit");
  };
}

/** LangGraph shows neither the checkpoint at which a run stops after a node, nor parents of what is not stored ("Streams"). */
function shownBy({ stops: { after } = {}, durability: durable }: Omit<Plan, "graph">): (each: Step) => Step {
  const isShown = after === undefined && durable !== "exit";
  return (each) => {
    if (typeof each === "string" || !("stream" in each) || isShown) return each;
    const shown = each.modes.filter((mode) => mode !== "checkpoints");
    return { ...each, modes: shown.length === 0 ? ["values"] : shown };
  };
}

export function hasGraphsInside({ graph }: Plan): boolean {
  return graph.nodes.some(({ inside }) => inside !== undefined);
}

/** LangGraph does not show what a handler has done while something beside it waits ("Policies of nodes"). */
export function hidesTasks({ graph: { nodes: plans } }: Pick<Plan, "graph">): boolean {
  return plans.some(({ policy }) => policy?.handler !== undefined) && plans.some(({ asks }) => asks > 0);
}

/** LangGraph no longer says where the state of a graph is, once its task has failed ("Graphs inside tasks"). */
export function losesPlaces({ graph: { nodes: plans } }: Plan): boolean {
  return plans.some(({ inside, fails }) => inside !== undefined && fails > 0);
}

/** Whether the checkpoints' ids cannot be the same in both engines. */
export function hasIdsOfItsOwn(planned: Plan): boolean {
  // Of runs that store at their end LangGraph shows the last ids only.
  return hasGraphsInside(planned) || planned.durability === "exit";
}

export function compileOptionsOf({ stops: { before, after } = {} }: Plan): CompileOptions {
  return {
    ...(before === undefined ? {} : { interruptBefore: [nameOf(before)] }),
    ...(after === undefined ? {} : { interruptAfter: [nameOf(after)] }),
  };
}

const nameOf = (index: number): string => `n${index}`;

export function buildOf({ nodes: plans, entries, joins }: GraphPlan): Build {
  return (library, counters) => {
    const builder = new library.StateGraph(stateOf(library));
    plans.forEach((nodePlanned, index) => addNode(library, counters, builder, nodePlanned, nameOf(index)));
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

function addNode(
  library: Library,
  counters: Counters,
  builder: Builder,
  planned: NodePlan,
  name: string,
): void {
  const options = { ...optionsOf(library, planned), ...(planned.defers ? { defer: true } : {}) };
  if (planned.inside === "node") {
    builder.addNode(name, sharingGraph(library, counters, planned, name), options);
    return;
  }
  const inner = planned.inside && innerGraph(library, counters, planned, name);
  const run = async (state: State, { writer }: NodeConfig): Promise<unknown> => {
    writer?.(`${name} runs`);
    if (inner !== undefined) return outputOfCalls(inner, planned, state);
    await failAtFirst(planned, counters, name);
    return outputOf(library, planned, name, state);
  };
  builder.addNode(name, run, options);
}

async function failAtFirst({ fails }: NodePlan, counters: Counters, name: string): Promise<void> {
  if (fails === 0 || counters.hasReached(name, fails)) return;
  // What runs beside it ends first: LangGraph would abort it.
  await new Promise((resolve) => setTimeout(resolve, 3));
  throw new Error(`${name} failed`);
}

function optionsOf(library: Library, { policy }: NodePlan): Record<string, unknown> {
  if (policy === undefined) return {};
  const { attempts, handler } = policy;
  const retryPolicy = { maxAttempts: attempts, initialInterval: 1, jitter: false, logWarning: false };
  const errorHandler = (_: State, { error }: { error: Error }): unknown => {
    const update = { log: [`handled: ${error.message}`], sum: 1 };
    if (handler === undefined || handler.length === 0) return update;
    return new library.Command({ update, goto: handler.flatMap((target) => targetsOf(library, target)) });
  };
  return {
    ...(attempts === undefined ? {} : { retryPolicy }),
    ...(handler === undefined ? {} : { errorHandler }),
  };
}

/** Says its name, fails when the node is to, then asks the node's questions, each in a node of its own. */
function innerGraph(library: Library, counters: Counters, planned: NodePlan, name: string): Compiled {
  const { asks } = planned;
  const builder = new library.StateGraph(stateOf(library))
    .addNode("begin", () => ({ log: [`${name} begins`], sum: 1 }))
    .addEdge(START, "begin");
  let last = "begin";
  if (planned.fails > 0) {
    const risk = async (): Promise<State> => {
      await failAtFirst(planned, counters, name);
      return { log: [`${name} dares`] };
    };
    builder.addNode("risk", risk).addEdge(last, "risk");
    last = "risk";
  }
  for (let ordinal = 0; ordinal < asks; ordinal++) {
    const next = `ask${ordinal}`;
    builder.addNode(next, () => ({ log: [library.interrupt(`${name}.${ordinal}?`)] })).addEdge(last, next);
    last = next;
  }
  return builder.compile();
}

/** Shares two numbers with the graph around. A list would double with every visit: what comes in goes out too. */
function sharingGraph(library: Library, counters: Counters, planned: NodePlan, name: string): Compiled {
  const { asks } = planned;
  const { Annotation } = library;
  const state = Annotation.Root({
    sum: Annotation({ reducer: (_: number, right: number) => right, default: () => 0 }),
    first: Annotation({ reducer: (left: unknown) => left }),
  });
  const begin = async (): Promise<State> => {
    await failAtFirst(planned, counters, name);
    return { sum: 1 };
  };
  const builder = new library.StateGraph(state).addNode("begin", begin).addEdge(START, "begin");
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

export function scriptOf({ steps: list, durability: durable }: Plan): Script {
  const options = { limit: LIMIT, ...(durable === undefined ? {} : { more: { durability: durable } }) };
  return async (session) => {
    for (const [index, what] of list.entries()) await take(session, what, `s${index}`, options);
  };
}

async function take(session: Session, what: Step, label: string, options: CallOptions): Promise<void> {
  if (what === "go on") {
    // LangGraph may give an old answer to the next question then.
    if ((await session.questions()).length === 0) await session.invoke(null, options);
  } else if ("invoke" in what) await session.invoke({ log: [label], sum: what.invoke }, options);
  else if ("stream" in what) {
    await session.stream({ log: [label], sum: what.stream }, [...what.modes], options);
  } else if ("answer" in what) {
    const open = await session.questions();
    if (open.length === 0) return;
    const answers = open.map((_, position) =>
      what.answer & (1 << position) ? `${label}.${position}` : undefined,
    );
    if (answers.some((answer) => answer !== undefined)) await session.answer(answers, options);
  } else if ("command" in what) {
    // LangGraph runs what has finished beside an open question, or a failure, again then ("Answers" in differences.md).
    if (await session.hasFinishedTasks()) return;
    const update = { log: [label], sum: what.command };
    await session.invoke(session.command({ update, goto: nameOf(what.goto) }), options);
  } else if ("update" in what) {
    // LangGraph takes a task that stands at its second question for a finished one.
    const open = await session.questions();
    if (open.some((question) => String(question.value).endsWith(".1?"))) return;
    const update = { log: [label], sum: what.update };
    // LangGraph leaves finished tasks out of an update at the newest checkpoint by its name.
    const named = what.at === 0 ? undefined : what.at;
    await session.update(update, nameOf(what.as), await at(session, named));
  } else {
    // LangGraph asks what was answered anew at the newest checkpoint by its name, when that is a fork.
    if (what.goOn === 0 && (await session.questions()).length > 0) return;
    await session.invoke(null, { ...options, ...(await at(session, what.goOn)) });
  }
}

async function at(session: Session, index: number | undefined): Promise<{ at?: string }> {
  if (index === undefined) return {};
  const found = (await session.history())[index];
  return found === undefined ? {} : { at: idOf(found) };
}
