export { Annotation, AnnotationRoot } from "./annotation.ts";
export type { Reducer, ReducerOptions, StateDefinition, StateType, UpdateType } from "./annotation.ts";
export type { PathMap, RoutePath, RouteResult } from "./branch.ts";
export { CompiledStateGraph } from "./compiled-state-graph.ts";
export type { NodeAction, NodeFunction, NodeOptions, NodeReturn, NodeRunnable } from "./node.ts";
export { StateGraph } from "./state-graph.ts";
export type { CompileOptions } from "./state-graph.ts";
