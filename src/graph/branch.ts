import { GraphValidationError, UnknownNodeError } from "../graph-errors.ts";
import { END } from "../pregel/constants.ts";
import { callOf } from "../pregel/runnable.ts";
import { isSend, type Send } from "../pregel/send.ts";
import type { NodeConfig } from "../pregel/types.ts";

export type Route = string | Send;
export type RouteFunction<State, Context = unknown> = (
  state: State,
  config: NodeConfig<Context>,
) => RouteResult | Promise<RouteResult>;
/** A function, or anything with `invoke`. */
export type RoutePath<State, Context = unknown> =
  | RouteFunction<State, Context>
  | { invoke: RouteFunction<State, Context>; readonly name?: string };
export type RouteResult = Route | boolean | number | readonly (Route | boolean | number)[];
/** What a path's results mean: by name, or a list of the nodes it may name. */
export type PathMap = Readonly<Record<string, string>> | readonly string[];

/** The arguments of `addConditionalEdges` as one object. */
export interface BranchOptions<State, Nodes extends string, Context = unknown> {
  readonly source: Nodes;
  readonly path: RoutePath<State, Context>;
  readonly pathMap?: PathMap;
}

/** A conditional edge: after its source has run, `path` says from the state where to go. */
export interface Branch {
  readonly source: string;
  /** Unique among those of its source. */
  readonly name: string;
  readonly path: (state: unknown, config: NodeConfig) => unknown;
  readonly pathMap: ReadonlyMap<string, string> | undefined;
}

export function createBranch(source: string, path: unknown, pathMap: PathMap | undefined): Branch {
  return {
    source,
    name: nameOf(path),
    path: pathCall(source, path),
    pathMap: pathMap === undefined ? undefined : mapOf(pathMap),
  };
}

function nameOf(path: unknown): string {
  const name =
    (typeof path === "function" || typeof path === "object") && path !== null && "name" in path
      ? path.name
      : undefined;
  return typeof name === "string" && name !== "" ? name : "condition";
}

function pathCall(source: string, path: unknown): Branch["path"] {
  const call = callOf(path);
  if (call !== undefined) return call;
  throw new GraphValidationError(
    `The path of a conditional edge of "${source}" has to be a function or an object with invoke(), not ${typeof path}.`,
    { details: { node: source } },
  );
}

/** Where the branch leads, with `END` left out. Throws for a result that is no node of the graph. */
export function routesOf(branch: Branch, result: unknown, isNode: (name: string) => boolean): Route[] {
  const results: unknown[] = Array.isArray(result) ? result : [result];
  const routes: Route[] = [];
  for (const item of results) {
    const route = routeOf(branch, item);
    if (route === END) continue;
    const name = isSend(route) ? route.node : route;
    if (!isNode(name)) throw new UnknownNodeError(name, `The conditional edge of "${branch.source}"`);
    routes.push(route);
  }
  return routes;
}

function routeOf(branch: Branch, item: unknown): Route {
  if (isSend(item)) return item;
  const name = branch.pathMap === undefined ? item : branch.pathMap.get(String(item));
  if (typeof name !== "string")
    throw new UnknownNodeError(String(item), `The conditional edge of "${branch.source}"`);
  return name;
}

function mapOf(pathMap: PathMap): ReadonlyMap<string, string> {
  return isList(pathMap) ? new Map(pathMap.map((name) => [name, name])) : new Map(Object.entries(pathMap));
}

function isList(pathMap: PathMap): pathMap is readonly string[] {
  return Array.isArray(pathMap);
}
