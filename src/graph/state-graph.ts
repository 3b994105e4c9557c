import { GraphValidationError } from "../errors.ts";
import { END, START } from "../pregel/constants.ts";
import type { Checkpointer } from "../pregel/pregel.ts";
import { AnnotationRoot, type StateDefinition, type StateType, type UpdateType } from "./annotation.ts";
import { createBranch, type Branch, type PathMap, type RoutePath } from "./branch.ts";
import type { Edge, GraphDefinition } from "./definition.ts";
import { compileGraph } from "./compile.ts";
import { CompiledStateGraph } from "./compiled-state-graph.ts";
import { nodeCall, subgraphsOf, type NodeAction, type NodeDefinition, type NodeOptions } from "./node.ts";
import { systemEnvironment } from "./system-environment.ts";
import { validateGraph } from "./validate.ts";

export interface CompileOptions {
  readonly checkpointer?: Checkpointer;
  readonly name?: string;
}

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
export class StateGraph<SD extends StateDefinition, Nodes extends string = typeof START> {
  readonly #state: SD;
  readonly #nodes = new Map<string, NodeDefinition>();
  readonly #edges: Edge[] = [];
  readonly #branches: Branch[] = [];

  constructor(state: AnnotationRoot<SD> | SD) {
    this.#state = state instanceof AnnotationRoot ? state.spec : state;
  }

  addNode<Name extends string>(
    name: Name,
    action: NodeAction<StateType<SD>, UpdateType<SD>>,
    options: NodeOptions = {},
  ): StateGraph<SD, Nodes | Name> {
    this.#checkName(name);
    this.#nodes.set(name, {
      name,
      call: nodeCall(action),
      options,
      subgraphs: subgraphsOf(action, options),
    });
    return this;
  }

  /** After the source (or, of a list, after all of them) the target runs. */
  addEdge(source: Nodes | readonly Nodes[], target: Nodes | typeof END): this {
    const sources: readonly string[] = typeof source === "string" ? [source] : source;
    if (sources.includes(END)) throw new GraphValidationError("END cannot be a start of an edge.");
    if (target === START) throw new GraphValidationError("START cannot be the end of an edge.");
    if (sources.length > 1) for (const name of [...sources, target]) this.#requireNode(name);
    this.#edges.push({ sources, target });
    return this;
  }

  /** After the source, `path` reads the state and says where to go: nodes, `END`, `Send`s, or keys of `pathMap`. */
  addConditionalEdges(source: Nodes, path: RoutePath<StateType<SD>>, pathMap?: PathMap): this {
    this.#branches.push(createBranch(source, path, pathMap));
    return this;
  }

  /** The runnable graph. Throws a `GraphValidationError` for edges that lead nowhere and nodes that cannot be reached. */
  compile(options: CompileOptions = {}): CompiledStateGraph<StateType<SD>, UpdateType<SD>> {
    const definition: GraphDefinition = {
      state: this.#state,
      nodes: new Map(this.#nodes),
      edges: [...this.#edges],
      branches: [...this.#branches],
    };
    validateGraph(definition);
    return new CompiledStateGraph({
      graph: compileGraph(definition, options.name ?? "LangGraph"),
      environment: systemEnvironment,
      checkpointer: options.checkpointer,
    });
  }

  #checkName(name: string): void {
    if (name === START || name === END) throw new GraphValidationError(`Node \`${name}\` is reserved.`);
    for (const character of ["|", ":"]) {
      if (name.includes(character)) {
        throw new GraphValidationError(
          `"${character}" is a reserved character and is not allowed in node names ("${name}").`,
        );
      }
    }
    if (this.#nodes.has(name)) throw new GraphValidationError(`Node \`${name}\` is already present.`);
    if (Object.hasOwn(this.#state, name)) {
      throw new GraphValidationError(
        `"${name}" is already a key of the state, so it cannot be the name of a node too.`,
      );
    }
  }

  #requireNode(name: string): void {
    if (name !== END && name !== START && !this.#nodes.has(name)) {
      throw new GraphValidationError(`Need to add a node named "${name}" first.`, {
        details: { node: name },
      });
    }
  }
}
