import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import { isCompiled } from "./draw-compiled.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import {
  getConfigTypeSchema,
  getInputTypeSchema,
  getOutputTypeSchema,
  getStateTypeSchema,
} from "./type-schemas.ts";

/** The schemas of a graph as LangGraph's platform names them; null where its definition has none. */
export interface GraphSchemas {
  readonly graph_id: string;
  readonly input_schema: JsonSchema | null;
  readonly output_schema: JsonSchema | null;
  readonly state_schema: JsonSchema | null;
  readonly config_schema: JsonSchema | null;
  readonly context_schema: JsonSchema | null;
}

export function graphSchemas(graphId: string, graph: unknown): GraphSchemas {
  return {
    graph_id: graphId,
    input_schema: getInputTypeSchema(graph) ?? null,
    output_schema: getOutputTypeSchema(graph) ?? null,
    state_schema: getStateTypeSchema(graph) ?? null,
    config_schema: null,
    context_schema: getConfigTypeSchema(graph) ?? null,
  };
}

/** The schemas of the graphs inside a graph, by the path of their nodes. */
export function subgraphSchemas(
  graphId: string,
  graph: RunnableGraph,
  namespace: string | undefined,
  recurse: boolean,
): Readonly<Record<string, GraphSchemas>> {
  const found = Array.from(graph.getSubgraphs(namespace, recurse));
  return Object.fromEntries(found.map(([path, subgraph]) => [path, graphSchemas(graphId, subgraph)]));
}

/** Nodes and edges as plain data; undefined for a graph that cannot be drawn. `xray`: graphs inside nodes too, so deep or all. */
export function drawnGraph(graph: unknown, xray: number | boolean): object | undefined {
  return isCompiled(graph) ? graph.getGraph({ xray }).toJSON() : undefined;
}
