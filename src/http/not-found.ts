import type { Context } from "hono";
import type { Hono } from "./hono.ts";
import { RefusedError } from "../errors.ts";

/** Answers what no route does: says what there is at the path, or, where there is nothing, which paths there are. */
export function notFound(context: Context, app: Hono): never {
  const { method, path } = context.req;
  const routes = app.routes.filter((route) => route.method !== "ALL");
  const allowed = new Set(routes.filter((route) => matches(route.path, path)).map((route) => route.method));
  if (allowed.size > 0) {
    const list = [...allowed].toSorted().join(", ");
    context.header("allow", list);
    throw new RefusedError("method_not_allowed", `${path} takes ${list}, not ${method}.`, {
      details: { allow: [...allowed] },
    });
  }
  const known = [...new Set(routes.map((route) => `${route.method} ${route.path}`))];
  throw new RefusedError("not_found", `There is no ${method} ${path}: details.routes says what there is.`, {
    details: { routes: known },
  });
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(":") && given[index] !== "") || part === given[index])
  );
}
