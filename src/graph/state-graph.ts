import { GraphValidationError } from "../graph-errors.ts";
import { END, START } from "../pregel/constants.ts";
import type { NodeConfig } from "../pregel/types.ts";
import type { BaseChannel } from "../channels/base.ts";
import { createBranch, type Branch, type BranchOptions, type PathMap, type RoutePath } from "./branch.ts";
import { compileGraph } from "./compile.ts";
import type { CompileOptions } from "./compile-options.ts";
import { CompiledStateGraph } from "./compiled-state-graph.ts";
import { asChannels, type Edge, type GraphDefinition } from "./definition.ts";
import { nodesOf, type NodeTuple } from "./node-forms.ts";
import { defineNode, type NodeDefinition, type NodeOptions, type TypedNodeOptions } from "./node.ts";
import type { NodeAction, NodeFunction } from "./node-action.ts";
import { withDefaults, type NodeDefaults } from "./node-policies.ts";
import { parseConstructor, type GraphInit } from "./parse-constructor.ts";
import { mergeKeys } from "./schema/merge-keys.ts";
import { writable, type StateKey } from "./schema/state-keys.ts";
import type { ExtractStateType, ExtractUpdateType, StateDefinitionInit } from "./schema/state-types.ts";
import { sharedLists } from "./shared-lists.ts";
import type {
  ContextOf,
  StateGraphArgs,
  StateGraphArgsOfAnyUpdate,
  StateGraphInit,
  StateGraphOptions,
} from "./state-graph-types.ts";
import type { GraphDefinitions } from "./type-schemas.ts";
import { checkNodeName, validateBreakpoints, validateGraph } from "./validate.ts";

/**
 * Builds a graph over a shared state: nodes read it and return updates, edges say what runs next.
 *
 * @example
 * const graph = new StateGraph(State)
 *   .addNode("greet", (state) => ({ text: `Hello ${state.name}` }))
 *   .addEdge(START, "greet")
 *   .addEdge("greet", END)
 *   .compile();
 */
export class StateGraph<
  SD,
  S = ExtractStateType<SD>,
  U = ExtractUpdateType<SD, S>,
  N extends string = typeof START,
  I = SD,
  O = SD,
  C = undefined,
  Asking = unknown,
  Chunk = unknown,
> {
  /** For `typeof builder.Node`: the type of a node of this graph. There is no value. */
  declare readonly Node: NodeFunction<S, U, N, ContextOf<C>, NodeConfig<ContextOf<C>, Asking, Chunk>>;
  readonly #init: GraphInit;
  /** Of all definitions. */
  readonly #keys = new Map<string, StateKey>();
  readonly #nodes = new Map<string, NodeDefinition>();
  readonly #edges: Edge[] = [];
  readonly #branches: Branch[] = [];
  #defaults: NodeDefaults = {};

  constructor(
    state: SD extends StateDefinitionInit ? SD : never,
    options?: StateGraphOptions<I, O, C, N, Asking, Chunk> | (C extends undefined ? never : C),
  );
  constructor(init: StateGraphInit<SD, I, O, C, N, Asking, Chunk>, context?: C);
  constructor(
    init: { readonly input: SD; readonly output: O } & Pick<
      StateGraphOptions<I, O, C, N, Asking, Chunk>,
      "context" | "nodes" | "interrupt" | "writer"
    >,
    context?: C,
  );
  constructor(init: StateGraphArgs<S>, context?: C);
  constructor(init: StateGraphArgsOfAnyUpdate<S>, context?: C);
  constructor(first: unknown, second?: unknown) {
    this.#init = parseConstructor(first, second);
    for (const keys of [this.#init.state, this.#init.input, this.#init.output]) {
      if (keys !== undefined) mergeKeys(this.#keys, keys);
    }
  }

  /** The channels of all keys of the state, the input, the output and the nodes' inputs. */
  get channels(): Readonly<Record<string, BaseChannel>> {
    return Object.fromEntries([...this.#keys].map(([name, { channel }]) => [name, channel]));
  }

  /** What the graph's state, input, output and context were defined by, as it was given. */
  get definitions(): GraphDefinitions {
    return this.#init.definitions;
  }

  /** The nodes by name. */
  get nodes(): Readonly<Record<string, NodeDefinition>> {
    return Object.fromEntries(this.#nodes);
  }

  /** The edges from one node to one other. */
  get edges(): ReadonlySet<readonly [source: string, target: string]> {
    const single = this.#edges.filter(({ sources }) => sources.length === 1);
    return new Set(single.map(({ sources, target }) => [sources[0] ?? "", target]));
  }

  /** Policies for all nodes; what a node's own options say goes before them. */
  setNodeDefaults(defaults: NodeDefaults): this {
    this.#defaults = { ...this.#defaults, ...defaults };
    return this;
  }

  addNode<K extends string, Input extends StateDefinitionInit>(
    name: K,
    action: NodeAction<
      ExtractStateType<Input>,
      U,
      string,
      ContextOf<C>,
      NodeConfig<ContextOf<C>, Asking, Chunk>
    >,
    options: TypedNodeOptions<ExtractStateType<Input>, U, N | K> & { readonly input: Input },
  ): StateGraph<SD, S, U, N | K, I, O, C, Asking, Chunk>;
  addNode<K extends string, Input = S>(
    name: K,
    action: NodeAction<Input, U, string, ContextOf<C>, NodeConfig<ContextOf<C>, Asking, Chunk>>,
    options?: TypedNodeOptions<Input, U, string>,
  ): StateGraph<SD, S, U, N | K, I, O, C, Asking, Chunk>;
  addNode<K extends string, Input = S>(
    nodes: readonly NodeTuple<K, Input, U, ContextOf<C>, NodeConfig<ContextOf<C>, Asking, Chunk>>[],
  ): StateGraph<SD, S, U, N | K, I, O, C, Asking, Chunk>;
  addNode<K extends string>(
    nodes: Readonly<
      Record<K, NodeAction<S, U, string, ContextOf<C>, NodeConfig<ContextOf<C>, Asking, Chunk>>>
    >,
  ): StateGraph<SD, S, U, N | K, I, O, C, Asking, Chunk>;
  addNode(first: unknown, action?: unknown, options?: NodeOptions): this {
    const nodes =
      typeof first === "string"
        ? [defineNode(first, action, options)]
        : nodesOf(first, "addNode was given no nodes. Name one at least.");
    for (const node of nodes) this.#add(node);
    return this;
  }

  /** Nodes that follow one another. */
  addSequence<K extends string, Input = S>(
    nodes: readonly NodeTuple<K, Input, U, ContextOf<C>, NodeConfig<ContextOf<C>, Asking, Chunk>>[],
  ): StateGraph<SD, S, U, N | K, I, O, C, Asking, Chunk>;
  addSequence<K extends string>(
    nodes: Readonly<
      Record<K, NodeAction<S, U, string, ContextOf<C>, NodeConfig<ContextOf<C>, Asking, Chunk>>>
    >,
  ): StateGraph<SD, S, U, N | K, I, O, C, Asking, Chunk>;
  addSequence(given: unknown): this {
    let last: string | undefined;
    for (const node of nodesOf(given, "addSequence was given no nodes. Name one at least.")) {
      this.#add(node);
      if (last !== undefined) this.#edges.push({ sources: [last], target: node.name });
      last = node.name;
    }
    return this;
  }

  /** After the source (or, of a list, after all of them) the target runs. */
  addEdge(source: N | typeof START | readonly N[], target: N | typeof END): this {
    const sources: readonly string[] = typeof source === "string" ? [source] : source;
    const refuse = (problem: string): never => {
      throw new GraphValidationError(problem, { details: { edge: { source, target } } });
    };
    if (sources.includes(END)) refuse("An edge begins at END, after which nothing runs. Begin it at a node.");
    if (target === START) refuse("An edge leads to START, where only runs begin. Lead it to a node.");
    if (typeof source !== "string") {
      if (target === END)
        refuse("A join leads to END, which waits for nothing. Lead an edge of each node there.");
      for (const name of [...sources, target]) {
        if (!this.#nodes.has(name))
          refuse(`A join names "${name}", but there is no such node yet. Add its nodes before it.`);
      }
    }
    this.#edges.push({ sources, target });
    return this;
  }

  /** After the source, `path` reads the state and says where to go: nodes, `END`, `Send`s, or keys of `pathMap`. */
  addConditionalEdges(source: N | typeof START, path: RoutePath<S, ContextOf<C>>, pathMap?: PathMap): this;
  addConditionalEdges(options: BranchOptions<S, N | typeof START, ContextOf<C>>): this;
  addConditionalEdges(
    given: string | BranchOptions<S, N | typeof START, ContextOf<C>>,
    path?: unknown,
    pathMap?: PathMap,
  ): this {
    const branch =
      typeof given === "string"
        ? createBranch(given, path, pathMap)
        : createBranch(given.source, given.path, given.pathMap);
    const isTaken = this.#branches.some(
      ({ source, name }) => source === branch.source && name === branch.name,
    );
    if (isTaken) {
      throw new GraphValidationError(
        `"${branch.source}" has a conditional edge called "${branch.name}" already. Give their functions different names.`,
        { details: { node: branch.source } },
      );
    }
    this.#branches.push(branch);
    return this;
  }

  /** The same as an edge from `START`. */
  setEntryPoint(name: N): this {
    return this.addEdge(START, name);
  }

  /** The same as an edge to `END`. */
  setFinishPoint(name: N): this {
    return this.addEdge(name, END);
  }

  /** The runnable graph. Throws a `GraphValidationError` for edges that lead nowhere and nodes that cannot be reached. */
  compile(options: CompileOptions<N> = {}): CompiledStateGraph<S, U, N, I, O, C, Asking, Chunk> {
    const definition = this.#definition();
    validateGraph(definition);
    validateBreakpoints(definition, options.interruptBefore, options.interruptAfter);
    return new CompiledStateGraph({
      graph: compileGraph(definition, options.name ?? "LangGraph"),
      streamMode: "updates",
      checkpointer: options.checkpointer,
      compiled: options,
      builder: this,
      definition,
      store: options.store,
      cache: options.cache,
      interruptBefore: options.interruptBefore,
      interruptAfter: options.interruptAfter,
    });
  }

  #definition(): GraphDefinition {
    const { state, input, output, context, interrupt } = this.#init;
    const nodes = [...this.#nodes].map(([name, node]): [string, NodeDefinition] => [
      name,
      withDefaults(node, this.#defaults),
    ]);
    const list = sharedLists();
    return {
      schema: {
        keys: new Map(this.#keys),
        allKeys: asChannels(list(this.#keys.keys())),
        shownKeys: asChannels(list(writable(this.#keys).keys())),
        stateKeys: asChannels(list(state.keys())),
        input: writable(input ?? state),
        outputKeys: asChannels(list(writable(output ?? state).keys())),
        context,
      },
      nodes: new Map(nodes),
      edges: [...this.#edges],
      branches: [...this.#branches],
      defaults: this.#defaults,
      ...(interrupt === undefined ? {} : { interrupt }),
    };
  }

  #add(node: NodeDefinition): void {
    checkNodeName(node.name, this.#nodes, this.#keys);
    if (node.input !== undefined) mergeKeys(this.#keys, node.input);
    this.#nodes.set(node.name, node);
  }
}
