import type { MiddlewareHandler } from "hono";
import { RefusedError } from "../errors.ts";

const LOCAL: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Serves this machine only, as long as nobody can log in: requests to a local address, and from pages on one. The name
 * that the client used counts, so that a page elsewhere cannot point its own name at this machine.
 */
export const localOnly: MiddlewareHandler = async (context, next) => {
  const { hostname } = new URL(context.req.url);
  const origin = context.req.header("origin");
  if (!LOCAL.has(hostname))
    throw refused(`Only localhost is served, not "${hostname}", as long as no authentication is configured.`);
  if (origin !== undefined && !isLocalOrigin(origin))
    throw refused(`Pages of "${origin}" may not use this server: only those on localhost may.`);
  await next();
};

export function isLocalOrigin(origin: string): boolean {
  return URL.canParse(origin) && LOCAL.has(new URL(origin).hostname);
}

function refused(message: string): RefusedError {
  return new RefusedError("local_only", message);
}
