import { GraphValidationError } from "../graph-errors.ts";
import { END, START } from "../pregel/constants.ts";
import { DrawableGraph } from "../pregel/drawing/drawable-graph.ts";
import type { Edge, GraphDefinition } from "./definition.ts";
import type { NodeDefinition } from "./node.ts";
import { ownHandler } from "./policies.ts";

/** What a drawing shows besides the definition. */
export interface DrawnFrom {
  readonly definition: GraphDefinition;
  readonly interruptBefore: readonly string[];
  readonly interruptAfter: readonly string[];
  /** The drawing of the graph in a node, when it is to be shown. */
  readonly inside: (node: string) => DrawableGraph | undefined;
}

/** Edges by what they are called in the definition, from node to node. */
interface PlainEdge {
  readonly source: string;
  readonly target: string;
  readonly label?: string;
  readonly conditional: boolean;
}

export function drawDefinition(from: DrawnFrom): DrawableGraph {
  const { definition } = from;
  const drawing = new DrawableGraph();
  drawing.addNode({ id: START, kind: "schema" });
  const starts = new Map([[START, START]]);
  const ends = new Map<string, string>();
  for (const node of nodesInOrder(definition)) {
    const { first, last } = drawNode(drawing, node, from);
    if (last !== undefined) starts.set(node.name, last);
    ends.set(node.name, first);
  }
  const draw = ({ source, target, label, conditional }: PlainEdge): void => {
    if (target === END && !ends.has(END)) {
      drawing.addNode({ id: END, kind: "schema" });
      ends.set(END, END);
    }
    const [start, end] = [starts.get(source), ends.get(target)];
    if (start === undefined) return;
    if (end === undefined)
      throw new GraphValidationError(`An edge leads to "${target}", which is not in the drawing.`, {
        details: { node: target },
      });
    drawing.addEdge({
      source: start,
      target: end,
      data: label === displayName(target) ? undefined : label,
      conditional,
    });
  };
  const edges = [...fixedEdges(definition.edges), ...branchEdges(definition), ...commandEdges(definition)];
  for (const edge of edges) draw(edge);
  const drawn = edges.filter(({ source }) => starts.has(source));
  for (const source of deadEnds(definition, drawn)) draw({ source, target: END, conditional: false });
  return drawing;
}

interface DrawnNode {
  readonly name: string;
  /** The name of the graph that the node is. */
  readonly graph?: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly toolNames?: readonly string[] | undefined;
}

/** Those of error handlers come before the nodes whose errors they handle. */
function nodesInOrder({ nodes }: GraphDefinition): DrawnNode[] {
  const drawn = [...nodes.values()].flatMap((node): DrawnNode[] => {
    const { name, options, subgraphs, toolNames } = node;
    const graph = options.subgraphs === undefined ? subgraphs[0]?.graph.name : undefined;
    const own = { name, graph, metadata: options.metadata ?? {}, toolNames };
    return options.errorHandler === undefined ? [own] : [{ name: ownHandler(name), metadata: {} }, own];
  });
  return asKeys(drawn.map((node) => [node.name, node])).map(([, node]) => node);
}

/** Names that are whole numbers come first, as the keys of an object do. */
function asKeys<T>(entries: readonly (readonly [string, T])[]): [string, T][] {
  return Object.entries(Object.fromEntries(entries));
}

/** Draws a node, or the graph in it: returns where edges enter it, and where they leave it. */
function drawNode(
  drawing: DrawableGraph,
  { name, graph: graphName, metadata, toolNames }: DrawnNode,
  { inside, interruptBefore, interruptAfter }: DrawnFrom,
): { readonly first: string; readonly last?: string } {
  const id = displayName(name);
  const graph = inside(name);
  graph?.trimFirstNode();
  graph?.trimLastNode();
  if (graph !== undefined && Object.keys(graph.nodes).length > 1) {
    const { first, last } = drawing.extend(graph, id);
    if (first === undefined)
      throw new GraphValidationError(
        `The graph in node "${name}" has no one node to begin at, so that it cannot be drawn in its place.`,
        {
          details: { node: name },
        },
      );
    return last === undefined ? { first } : { first, last };
  }
  const stops = [
    ...(interruptBefore.includes(name) ? ["before"] : []),
    ...(interruptAfter.includes(name) ? ["after"] : []),
  ];
  drawing.addNode({
    id,
    graph: graphName,
    kind: "runnable",
    metadata: {
      ...metadata,
      ...(stops.length > 0 ? { __interrupt: stops.join(",") } : {}),
      ...(toolNames === undefined ? {} : { __tools: toolNames }),
    },
  });
  return { first: id, last: id };
}

/** A word of Mermaid's is not taken as one in quotes. */
function displayName(node: string): string {
  return node === "subgraph" ? `"${node}"` : node;
}

/** By their source; of each, those of one source before those that wait for several. */
function fixedEdges(edges: readonly Edge[]): PlainEdge[] {
  const ordered = [...edges.filter(isSingle), ...edges.filter((edge) => !isSingle(edge))];
  const plain = ordered.flatMap(({ sources, target }) =>
    sources.map((source): PlainEdge => ({ source, target, conditional: false })),
  );
  return plain.toSorted((a, b) => compare(a.source, b.source));
}

function isSingle({ sources }: Edge): boolean {
  return sources.length === 1;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A branch that does not say where it may go may go anywhere. */
function branchEdges(definition: GraphDefinition): PlainEdge[] {
  const names = nodesInOrder(definition).map(({ name }) => name);
  const sources = [...new Set(definition.branches.map(({ source }) => source))];
  const bySource = asKeys(
    sources.map((source) => [source, definition.branches.filter((branch) => branch.source === source)]),
  );
  return bySource.flatMap(([source, branches]) =>
    branches.flatMap(({ pathMap }): PlainEdge[] => {
      if (pathMap !== undefined)
        return asKeys([...pathMap]).map(([label, target]) => ({ source, target, label, conditional: true }));
      const anywhere = [...names.filter((name) => name !== source), END];
      return anywhere.map((target) => ({ source, target, conditional: true }));
    }),
  );
}

function commandEdges({ nodes }: GraphDefinition): PlainEdge[] {
  return asKeys([...nodes]).flatMap(([source, { options }]: [string, NodeDefinition]) =>
    (options.ends ?? []).map((target) => ({ source, target, conditional: true })),
  );
}

/** Nodes that a fixed edge leads to and that no edge leaves: after them the graph ends. */
function deadEnds({ nodes }: GraphDefinition, edges: readonly PlainEdge[]): string[] {
  const sources = new Set(edges.map(({ source }) => source));
  const reached = new Set(edges.filter(({ conditional }) => !conditional).map(({ target }) => target));
  return [...reached]
    .filter((name) => !sources.has(name) && nodes.has(name))
    .toSorted((a, b) => compare(displayName(a), displayName(b)));
}
