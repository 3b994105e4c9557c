import { UnknownNodeError } from "../errors.ts";
import { END } from "../pregel/constants.ts";
import { isSend, type Send } from "../pregel/send.ts";
import type { NodeConfig } from "../pregel/types.ts";

export type Route = string | Send;
export type RoutePath<State> = (state: State, config: NodeConfig) => RouteResult | Promise<RouteResult>;
export type RouteResult = Route | boolean | number | readonly (Route | boolean | number)[];
/** What a path's results mean: by name, or a list of the nodes it may name. */
export type PathMap = Readonly<Record<string, string>> | readonly string[];

/** A conditional edge: after its source has run, `path` says from the state where to go. */
export interface Branch {
  readonly source: string;
  readonly path: (state: unknown, config: NodeConfig) => unknown;
  readonly pathMap: ReadonlyMap<string, string> | undefined;
}

export function createBranch<State>(
  source: string,
  path: RoutePath<State>,
  pathMap: PathMap | undefined,
): Branch {
  return {
    source,
    // As for nodes: the builder's types say that the state is a `State`.
    path: (state, config) => path(state as State, config),
    pathMap: pathMap === undefined ? undefined : mapOf(pathMap),
  };
}

/** Where the branch leads, with `END` left out. Throws for a result that is no node of the graph. */
export function routesOf(branch: Branch, result: unknown, isNode: (name: string) => boolean): Route[] {
  const results: unknown[] = Array.isArray(result) ? result : [result];
  return results.flatMap((item) => {
    const route = routeOf(branch, item);
    const name = isSend(route) ? route.node : route;
    if (name === END && !isSend(route)) return [];
    if (!isNode(name)) throw new UnknownNodeError(name, `The conditional edge of "${branch.source}"`);
    return [route];
  });
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
