import type { Context, MiddlewareHandler } from "hono";
import type { Log, LogFields } from "../../log.ts";
import { routeOf } from "../route-of.ts";

declare module "hono" {
  interface ContextVariableMap {
    /** What is known of the request by now, for the log. */
    noted: LogFields;
  }
}

/** Adds to what the log says of the request. */
export function noteOfRequest(context: Context, fields: LogFields): void {
  context.set("noted", { ...notedOf(context), ...fields });
}

export function notedOf(context: Context): LogFields {
  return context.get("noted") ?? {};
}

/** A record of each request: its route as it is declared, since paths may hold tokens, and never its query. */
export function requestLog(log: Log): MiddlewareHandler {
  return async (context, next) => {
    const start = Date.now();
    await next();
    const noted = notedOf(context);
    const status = noted.status ?? context.res.status;
    log.note(status >= 500 ? "warn" : "info", "request", {
      method: context.req.method,
      route: routeOf(context)?.path ?? "",
      ...noted,
      status,
      duration_ms: Date.now() - start,
    });
  };
}
