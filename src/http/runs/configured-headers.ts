import type { Context } from "hono";

/** Those that say who somebody is to this server, which is no business of the nodes. */
const KEPT = new Set(["x-api-key", "x-tenant-id", "x-service-key"]);

/** What nodes find of a request's headers in their `config.configurable`, as on LangGraph's platform. */
export function configuredHeaders(context: Context): Readonly<Record<string, string>> {
  const headers = Object.entries(context.req.header());
  return Object.fromEntries(
    headers.filter(([name]) => name === "user-agent" || (name.startsWith("x-") && !KEPT.has(name))),
  );
}
