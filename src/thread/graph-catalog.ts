import { CheckpointNotFoundError, RefusedError } from "../errors.ts";
import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import { canBeginThread } from "../thread-beginning.ts";
import { graphMismatch, threadEmpty, threadNotFound } from "./errors.ts";
import type { StartRun } from "./runs/run-protocol.ts";
import type { ThreadRow } from "./thread-rows.ts";

/** The graphs of a deployment, by name. */
export class GraphCatalog {
  readonly #graphs: ReadonlyMap<string, RunnableGraph>;

  constructor(graphs: Readonly<Record<string, RunnableGraph>>) {
    this.#graphs = new Map(Object.entries(graphs));
  }

  find(name: string): RunnableGraph | undefined {
    return this.#graphs.get(name);
  }

  require(name: string): RunnableGraph {
    const graph = this.#graphs.get(name);
    if (graph !== undefined) return graph;
    throw new RefusedError(
      "unknown_graph",
      `This deployment has no graph "${name}". It has: ${this.#names()}.`,
      { details: { graph: name } },
    );
  }

  /** The graph that the thread is bound to or, while it has run nothing, the one that its metadata names. */
  ofThread({ thread_id: id, graph, metadata }: ThreadRow): RunnableGraph {
    if (graph !== "") return this.require(graph);
    const { graph_id: named } = metadata;
    if (typeof named !== "string") throw threadEmpty(id);
    return this.require(named);
  }

  /**
   * The graph that a run is for: the one the thread is bound to ("" while it is not), or the requested one, or the only one. Refuses what
   * does not fit the thread, and what a thread that does not exist yet cannot do.
   */
  choose(start: StartRun, bound: string | undefined): string {
    const { graph: requested, input, checkpointId } = start.request;
    if (bound !== undefined && bound !== "") {
      this.require(bound);
      if (requested === undefined || requested === bound) return bound;
      throw graphMismatch(bound, requested);
    }
    if (bound !== undefined && checkpointId !== undefined) throw new CheckpointNotFoundError(checkpointId);
    if (!canBeginThread(input) || checkpointId !== undefined) {
      throw bound === undefined ? threadNotFound(start.threadId) : threadEmpty(start.threadId);
    }
    const name = this.nameOf(requested);
    const { graph } = this.require(name);
    if (input.kind === "input") graph.checkInput(input.value);
    return name;
  }

  /** The requested graph, or the only one there is. */
  nameOf(requested: string | undefined): string {
    const [only, ...others] = this.#graphs.keys();
    const name = requested ?? (others.length === 0 ? only : undefined);
    if (name !== undefined) {
      this.require(name);
      return name;
    }
    throw new RefusedError(
      "graph_required",
      `This deployment has several graphs; say which one with "graph". It has: ${this.#names()}.`,
    );
  }

  #names(): string {
    return [...this.#graphs.keys()].map((name) => `"${name}"`).join(", ");
  }
}
