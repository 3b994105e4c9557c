import type { CheckpointTuple } from "../checkpoint/types.ts";
import { UnknownNamespaceError } from "../errors.ts";
import { childNamespace, isOfTask, stepsOf, taskNamespace, withoutTaskIds } from "./namespace.ts";
import type { PregelGraph, RunnableConfig, Subgraph } from "./types.ts";
import { unknownGraph } from "./unknown-graph.ts";

/** A graph of a thread, by its namespace. */
export interface Located {
  /** Undefined when no graph is known to run there: a node may run graphs that it has not declared. */
  readonly graph: PregelGraph | undefined;
  /** Whether it runs inside a task of the root graph. */
  readonly isNested: boolean;
  /** The namespace where it keeps its checkpoints: a history that all tasks share has no task ids in its name. */
  readonly address: string;
}

/** Finds the graph of a namespace by the names of the nodes that lead to it. */
export function locate(root: PregelGraph, namespace: string): Located {
  if (namespace === "") return { graph: root, isNested: false, address: namespace };
  let graph: PregelGraph | undefined = root;
  let address = "";
  let known = "";
  for (const step of stepsOf(namespace)) {
    const subgraphs: readonly Subgraph[] = graph?.nodes.get(step.node)?.subgraphs ?? [];
    const subgraph = subgraphs[step.ordinal] ?? subgraphs[0];
    graph = subgraph?.graph;
    address = childNamespace(address, step.namespace.slice(known === "" ? 0 : known.length + 1));
    known = step.namespace;
    if (subgraph?.checkpointer === true) address = withoutTaskIds(address);
  }
  if (graph !== undefined) return { graph, isNested: true, address };
  // A name that is no node's is a namespace that the caller has chosen, for a run of the root graph.
  return isOfTask(namespace)
    ? { graph: undefined, isNested: true, address: namespace }
    : { graph: root, isNested: false, address: namespace };
}

/** The graph to read a checkpoint of the namespace with. */
export function graphToRead(
  root: PregelGraph,
  namespace: string,
  tuple: CheckpointTuple | undefined,
): PregelGraph {
  const { graph } = locate(root, namespace);
  if (graph !== undefined) return graph;
  if (tuple === undefined) throw new UnknownNamespaceError(namespace);
  return unknownGraph(namespace, tuple.checkpoint);
}

/** The config with another namespace. */
export function atNamespace(config: RunnableConfig, namespace: string): RunnableConfig {
  if ((config.configurable?.checkpoint_ns ?? "") === namespace) return config;
  return { ...config, configurable: { ...config.configurable, checkpoint_ns: namespace } };
}

/** The namespace of the graph that a task runs; undefined for a task that runs none that is known. */
export function namespaceInside(
  subgraphs: readonly Subgraph[] | undefined,
  namespace: string,
  task: { readonly name: string; readonly id: string },
): string | undefined {
  const [subgraph] = subgraphs ?? [];
  if (subgraph === undefined || subgraph.checkpointer === false) return undefined;
  return taskNamespace(namespace, task.name, task.id);
}

/**
 * The graphs inside a graph, by the path of their nodes; `recurse`: also those inside them. A `namespace` names one of them,
 * the first of its node; to name one that is further inside, `recurse` is needed.
 */
export function* subgraphsWithin<G extends Subgraph>(
  root: PregelGraph,
  isWanted: (subgraph: Subgraph) => subgraph is G,
  { namespace, recurse }: { readonly namespace?: string | undefined; readonly recurse: boolean },
): Generator<[namespace: string, graph: G]> {
  for (const [name, node] of root.nodes) {
    const inside = childNamespace(name, "");
    if (namespace !== undefined && namespace !== name && !namespace.startsWith(inside)) continue;
    for (const subgraph of (node.subgraphs ?? []).filter(isWanted)) {
      if (namespace === undefined || namespace === name) yield [name, subgraph];
      if (namespace === name) return;
      if (!recurse) continue;
      const rest = namespace?.slice(inside.length);
      for (const [inner, graph] of subgraphsWithin(subgraph.graph, isWanted, { namespace: rest, recurse })) {
        yield [childNamespace(name, inner), graph];
        if (namespace !== undefined) return;
      }
    }
  }
}
