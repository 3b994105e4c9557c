import { EphemeralValue } from "../channels/ephemeral-value.ts";
import { GraphValidationError } from "../graph-errors.ts";
import type { BreakpointNodes } from "../pregel/breakpoints.ts";
import { END, START } from "../pregel/constants.ts";
import type { DrawableGraph } from "../pregel/drawing/drawable-graph.ts";
import { ChannelWrite, PASSTHROUGH } from "../pregel/low-level/channel-write.ts";
import { handMadeGraph } from "../pregel/low-level/hand-made.ts";
import { PregelNode } from "../pregel/low-level/pregel-node.ts";
import { CompiledPregel, type CompiledParams, type DrawOptions } from "../pregel/compiled-pregel.ts";
import type { Checkpointer } from "../pregel/pregel-options.ts";
import type { RunnableLike } from "../pregel/runnable.ts";
import type { Edge, GraphDefinition } from "./definition.ts";
import { drawCompiled } from "./draw-compiled.ts";
import { nodesOf } from "./node-forms.ts";
import { defineNode, type NodeDefinition, type NodeOptions } from "./node.ts";
import { checkNodeName, validateBreakpoints, validateGraph } from "./validate.ts";

export interface CompileGraphOptions {
  readonly checkpointer?: Checkpointer;
  readonly name?: string;
  readonly interruptBefore?: BreakpointNodes;
  readonly interruptAfter?: BreakpointNodes;
}

/** A graph without a state: each node is called with what the node before it has returned. */
export class Graph<N extends string = typeof START> {
  readonly #nodes = new Map<string, NodeDefinition>();
  readonly #edges: Edge[] = [];

  addNode<K extends string>(
    name: K,
    action: RunnableLike,
    options?: Pick<NodeOptions, "metadata" | "subgraphs">,
  ): Graph<N | K>;
  addNode<K extends string>(nodes: Readonly<Record<K, RunnableLike>>): Graph<N | K>;
  addNode(first: unknown, action?: unknown, options?: NodeOptions): this {
    const nodes =
      typeof first === "string"
        ? [defineNode(first, action, options)]
        : nodesOf(first, "addNode was given no nodes. Name one at least.");
    for (const node of nodes) {
      checkNodeName(node.name, this.#nodes, new Map());
      this.#nodes.set(node.name, node);
    }
    return this;
  }

  /** What the source returns is given to the target; what is given to `END` is the result. A node has one edge. */
  addEdge(source: N | typeof START, target: N | typeof END): this {
    if (source === END)
      throw new GraphValidationError("An edge begins at END, after which nothing runs. Begin it at a node.");
    if (target === START)
      throw new GraphValidationError("An edge leads to START, where only runs begin. Lead it to a node.");
    if (this.#edges.some(({ sources }) => sources[0] === source)) {
      throw new GraphValidationError(
        `"${source}" has an edge already, and of a Graph it can have one only. Use a StateGraph for more.`,
        { details: { node: source } },
      );
    }
    this.#edges.push({ sources: [source], target });
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

  compile(options: CompileGraphOptions = {}): CompiledGraph {
    const definition: GraphDefinition = {
      schema: {
        keys: new Map(),
        allKeys: [],
        shownKeys: [],
        stateKeys: [],
        input: new Map(),
        outputKeys: [],
        context: undefined,
      },
      nodes: new Map(this.#nodes),
      edges: [...this.#edges],
      branches: [],
      defaults: {},
    };
    validateGraph(definition);
    validateBreakpoints(definition, options.interruptBefore, options.interruptAfter);
    const names = [...definition.nodes.keys()];
    const graph = handMadeGraph({
      name: options.name,
      nodes: Object.fromEntries(
        [...definition.nodes.values()].map((node) => [node.name, partOf(definition, node)]),
      ),
      channels: Object.fromEntries([START, END, ...names].map((name) => [name, new EphemeralValue()])),
      inputChannels: START,
      outputChannels: END,
      streamChannels: names,
    });
    return new CompiledGraph({ ...options, graph, definition, builder: this });
  }
}

function partOf({ edges }: GraphDefinition, { name, call, options, subgraphs }: NodeDefinition): PregelNode {
  const sources = edges.filter(({ target }) => target === name).flatMap((edge) => edge.sources);
  const isLast = edges.some((edge) => edge.target === END && edge.sources.includes(name));
  const channels = isLast ? [name, END] : [name];
  return new PregelNode({
    channels: sources,
    triggers: sources,
    bound: call,
    writers: [new ChannelWrite(channels.map((channel) => ({ channel, value: PASSTHROUGH })))],
    subgraphs,
    ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
  });
}

type CompiledGraphParams = CompiledParams & {
  readonly definition: GraphDefinition;
  readonly builder: Pick<Graph, "compile">;
};

/** A `Graph` that can be run. */
export class CompiledGraph extends CompiledPregel<unknown, Record<string, unknown>, unknown> {
  readonly lc_graph_name = "CompiledGraph";
  readonly builder: Pick<Graph, "compile">;
  readonly #params: CompiledGraphParams;

  constructor(params: CompiledGraphParams) {
    super(params);
    this.builder = params.builder;
    this.#params = params;
  }

  override getGraph(options: DrawOptions = {}): DrawableGraph {
    return drawCompiled({ ...this.#params, subgraphs: () => this.getSubgraphs() }, options);
  }
}
