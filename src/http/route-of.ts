import type { Context } from "hono";
import { matchedRoutes } from "hono/route";

export type Route = Pick<ReturnType<typeof matchedRoutes>[number], "method" | "path">;

/** The route that takes the request, the first of those that match; undefined when none does. */
export function routeOf(context: Context): Route | undefined {
  return matchedRoutes(context).find(({ method }) => method !== "ALL");
}
