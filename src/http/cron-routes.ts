import { Hono } from "hono";
import type { AppOptions } from "./app.ts";
import { parseBody } from "./body.ts";
import { threadCronId } from "./cron-id.ts";
import { cronRequest, ThreadCronBody } from "./cron-schemas.ts";
import { newId } from "./new-id.ts";
import { withAssistant } from "./run-assistant.ts";
import { call, jsonResponse, refusal, requestedThread } from "./thread-call.ts";

/** Runs of a thread that come by the clock. */
export function cronRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/runs/crons", async (context) => {
    const thread = requestedThread(context, options);
    const requested = await parseBody(context.req, ThreadCronBody, options.maxBodySize);
    const { graph, body } = await withAssistant(context, options, requested);
    const { schedule, timezone, enabled, end_time: endAt } = body;
    const create = {
      ...thread.address,
      cronId: threadCronId(newId(context), thread.address.threadId),
      schedule,
      timezone,
      enabled,
      endAt: endAt ?? undefined,
      assistant: body.assistant_id ?? undefined,
      request: cronRequest(body, graph, body.on_interrupted),
    };
    return jsonResponse(context, await call(thread, (api) => api.createCron(create)));
  });

  app.get("/runs/crons", async (context) => {
    const thread = requestedThread(context, options);
    return jsonResponse(context, await call(thread, (api) => api.listCrons(thread.address)));
  });

  app.delete("/runs/crons/:cron_id", async (context) => {
    const thread = requestedThread(context, options);
    const named = { ...thread.address, cronId: context.req.param("cron_id") };
    const reply = await call(thread, (api) => api.deleteCron(named));
    return reply.ok ? context.body(null, 204) : refusal(context, reply);
  });

  return app;
}
