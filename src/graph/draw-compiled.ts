import { isObject } from "../values/containers.ts";
import type { BreakpointNodes } from "../pregel/breakpoints.ts";
import type { DrawableGraph } from "../pregel/drawing/drawable-graph.ts";
import type { DrawOptions } from "../pregel/compiled-pregel.ts";
import type { GraphDefinition } from "./definition.ts";
import { drawDefinition } from "./draw-definition.ts";

interface Compiled {
  readonly definition: GraphDefinition;
  readonly interruptBefore?: BreakpointNodes | undefined;
  readonly interruptAfter?: BreakpointNodes | undefined;
  readonly subgraphs: () => Iterable<readonly [node: string, graph: unknown]>;
}

interface Drawable {
  getGraph(options: DrawOptions): DrawableGraph;
}

/** The drawing of a compiled graph; `xray`: with those of the graphs inside its nodes. */
export function drawCompiled(compiled: Compiled, { xray = false }: DrawOptions): DrawableGraph {
  const subgraphs = new Map(xray ? compiled.subgraphs() : []);
  const further = typeof xray === "number" ? xray - 1 : xray;
  return drawDefinition({
    definition: compiled.definition,
    interruptBefore: namesOf(compiled.interruptBefore),
    interruptAfter: namesOf(compiled.interruptAfter),
    inside: (node) => {
      const subgraph = subgraphs.get(node);
      return isCompiled(subgraph) ? subgraph.getGraph({ xray: further }) : undefined;
    },
  });
}

function namesOf(stops: BreakpointNodes | undefined): readonly string[] {
  return stops === undefined || stops === "*" ? [] : stops;
}

/** By its form, as it may be of another copy of this package: a graph with nodes of its own, not one that is a single box. */
export function isCompiled(graph: unknown): graph is Drawable {
  return isObject(graph) && "builder" in graph && "getGraph" in graph;
}
