import { Hono } from "../hono.ts";
import type { AppOptions } from "../app-options.ts";
import { parseQuery } from "../requests/body.ts";
import { DeliveriesQuery } from "../hooks/hook-schemas.ts";
import { call, jsonResponse, requestedThread } from "../thread-call.ts";

/** What has become of the messages about a thread's runs. */
export function deliveryRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.get("/deliveries", async (context) => {
    const thread = requestedThread(context, options);
    const list = { ...thread.address, ...parseQuery(context.req, DeliveriesQuery) };
    return jsonResponse(context, await call(thread, (api) => api.listDeliveries(list)));
  });

  return app;
}
