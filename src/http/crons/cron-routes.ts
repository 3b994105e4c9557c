import { Hono } from "../hono.ts";
import type { AppOptions } from "../app-options.ts";
import { authorizedCron } from "../auth/authorized-cron.ts";
import { parseBody } from "../requests/body.ts";
import { threadCronId } from "./cron-id.ts";
import { authorizedCronOf, authorizedCrons, readCron } from "./cron-access.ts";
import { cronRequest, ThreadCronBody } from "./cron-schemas.ts";
import { newId } from "../new-id.ts";
import { once } from "../once.ts";
import { withAssistant } from "../runs/run-assistant.ts";
import { call, jsonResponse, namedThread, refusal, requestedThread } from "../thread-call.ts";

/** Runs of a thread that come by the clock. */
export function cronRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/runs/crons", async (context) => {
    const { threadId } = requestedThread(context, options).address;
    const requested = await parseBody(context.req, ThreadCronBody, options.maxBodySize);
    const { graph, body } = await withAssistant(context, options, requested);
    const { schedule, timezone, enabled, end_time: end } = body;
    const cron = {
      threadId,
      cronId: threadCronId(newId(context), threadId),
      schedule,
      timezone,
      enabled,
      endAt: end ?? undefined,
      assistant: body.assistant_id ?? undefined,
    };
    const request = await authorizedCron(context, cron, cronRequest(body, graph, body.on_interrupted));
    const thread = namedThread(context, options, threadId);
    const create = { ...cron, ...thread.address, request };
    const make = async (): Promise<Response> =>
      jsonResponse(context, await call(thread, (api) => api.createCron(create)));
    return once(context, options, make, () => readCron(context, options, threadId, cron.cronId));
  });

  app.get("/runs/crons", async (context) => {
    const { threadId } = requestedThread(context, options).address;
    const { thread, list } = await authorizedCrons(context, options, threadId, { thread_id: threadId });
    return jsonResponse(context, await call(thread, (api) => api.listCrons(list)));
  });

  app.delete("/runs/crons/:cron_id", async (context) => {
    const { threadId } = requestedThread(context, options).address;
    const asked = { cron_id: context.req.param("cron_id") };
    const { thread, named } = await authorizedCronOf(context, options, threadId, "crons:delete", asked);
    const reply = await call(thread, (api) => api.deleteCron(named));
    return reply.ok ? context.body(null, 204) : refusal(context, reply);
  });

  return app;
}
