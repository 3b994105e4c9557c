import { type Context, Hono } from "hono";
import { v7 as uuid7 } from "uuid";
import type { AppOptions } from "./app.ts";
import { parseBody } from "./body.ts";
import { checkEvent } from "./inbound-event-schemas.ts";
import { pathPart } from "./path-part.ts";
import { requestConditions } from "./request-conditions.ts";
import { AnyBody } from "./schemas.ts";
import { call, refusal, requestedThread } from "./thread-call.ts";

/** Events for nodes that wait for them. */
export function inboundEventRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/events/:key", async (context: Context) => {
    const thread = requestedThread(context, options);
    const key = pathPart(context.req.path, 4);
    const payload = await parseBody(context.req, AnyBody, options.maxBodySize);
    await checkEvent(options.eventSchemas, key, payload);
    const { idempotency } = await requestConditions(context, payload);
    const event = { ...thread.address, eventId: uuid7(), key, payload };
    const sent = { ...event, ...(idempotency === undefined ? {} : { idempotency }) };
    const reply = await call(thread, (api) => api.sendEvent(sent));
    return reply.ok ? context.json(reply.value) : refusal(context, reply);
  });

  return app;
}
