import type { MiddlewareHandler } from "hono";
import { RefusedError } from "../../errors.ts";

const LOCAL: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Serves this machine only, as long as nobody can log in: requests to a local address, and from pages on one. The name
 * that the client used counts, so that a page elsewhere cannot point its own name at this machine.
 */
export function localOnly(origins: readonly string[]): MiddlewareHandler {
  return async (context, next) => {
    const { hostname } = new URL(context.req.url);
    const origin = context.req.header("origin");
    if (!LOCAL.has(hostname)) {
      throw refused(
        `Only localhost is served, not "${hostname}", as long as no authentication is configured: createRuntime({ auth }).`,
      );
    }
    if (origin !== undefined && !mayUse(origin, origins)) {
      throw refused(
        `Pages of "${origin}" may not use this server: those on localhost may, and those of the configured origins.`,
      );
    }
    await next();
  };
}

/** Whether a page of this origin may use the server. */
export function mayUse(origin: string, origins: readonly string[]): boolean {
  return origins.includes(origin) || (URL.canParse(origin) && LOCAL.has(new URL(origin).hostname));
}

function refused(message: string): RefusedError {
  return new RefusedError("local_only", message);
}
