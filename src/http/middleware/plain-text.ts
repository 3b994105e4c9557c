import type { MiddlewareHandler } from "hono";
import { mayUse } from "./local-only.ts";

/**
 * Takes bodies of plain text for JSON, as LangGraph's Studio sends it: with that type browsers do not ask before a request. So
 * pages that may not use the server are left out, who need not ask then; browsers say which page it is.
 */
export function plainTextAsJson(origins: readonly string[]): MiddlewareHandler {
  return (context, next) => {
    const { req } = context;
    if (/^text\/plain\s*(?:;|$)/i.test(req.header("content-type") ?? "")) {
      const origin = req.header("origin");
      if (origin === undefined || mayUse(origin, origins)) req.raw = asJson(req.raw);
    }
    return next();
  };
}

function asJson(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("content-type", "application/json");
  return new Request(request, { headers });
}
