import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { mayUse } from "./local-only.ts";

/** In seconds: as long as browsers keep what they were told. */
const MAX_AGE = 7200;

/** Lets pages of these origins, and those on localhost, use the server from a browser. */
export function crossOrigin(origins: readonly string[]): MiddlewareHandler {
  const answered = cors({
    origin: (origin) => (mayUse(origin, origins) ? origin : undefined),
    exposeHeaders: ["location", "content-location", "x-pagination-total", "x-pagination-next"],
    maxAge: MAX_AGE,
  });
  return async (context, next) => {
    // Who is no page asks for nothing here; only must its answer not be kept for pages.
    if (context.req.header("origin") === undefined && context.req.method !== "OPTIONS") {
      context.header("vary", "Origin");
      return next();
    }
    const response = await answered(context, next);
    // Asked for by browsers before a page of the internet calls a server on this machine.
    const isAsked = context.req.header("access-control-request-private-network") === "true";
    if (!(response instanceof Response) || !isAsked) return response;
    if (response.headers.has("access-control-allow-origin"))
      response.headers.set("access-control-allow-private-network", "true");
    return response;
  };
}
