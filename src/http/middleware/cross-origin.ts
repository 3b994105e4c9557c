import type { MiddlewareHandler } from "hono";
import { mayUse } from "./local-only.ts";

/** In seconds: as long as browsers keep what they were told. */
const MAX_AGE = "7200";

const METHODS = "GET,HEAD,PUT,POST,DELETE,PATCH";
const EXPOSED = "location,content-location,x-pagination-total,x-pagination-next";

/** Lets pages of these origins, and those on localhost, use the server from a browser. */
export function crossOrigin(origins: readonly string[]): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context;
    const origin = req.header("origin");
    const isAsked = req.method === "OPTIONS";
    if (origin === undefined && !isAsked) {
      // Who is no page asks for nothing here; only must its answer not be kept for pages.
      context.header("vary", "Origin");
      return next();
    }
    const { headers } = context.res;
    headers.set("vary", "Origin,access-control-request-headers");
    const isAllowed = origin !== undefined && mayUse(origin, origins);
    const say = (name: string, value: string) => isAllowed && headers.set(`access-control-${name}`, value);
    say("allow-origin", origin ?? "");
    say("expose-headers", EXPOSED);
    if (!isAsked) return next();
    say("max-age", MAX_AGE);
    say("allow-methods", METHODS);
    say("allow-headers", req.header("access-control-request-headers") ?? "");
    // Asked for by browsers before a page of the internet calls a server on this machine.
    if (req.header("access-control-request-private-network") === "true") say("allow-private-network", "true");
    return context.body(null, 204);
  };
}
