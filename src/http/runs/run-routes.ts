import type { Context } from "hono";
import { Hono } from "../hono.ts";
import type { StartRun } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { reauthentications, whileAllowed } from "../auth/reauthentication.ts";
import { parseBody, sentBody } from "../requests/body.ts";
import { streamed } from "../streams/event-response.ts";
import { invokeRequest, resumeRequest, streamRequest } from "./run-request.ts";
import { startOf } from "./run-start.ts";
import { InvokeBody, ResumeBody, StreamBody } from "../requests/schemas.ts";
import { callWhole, jsonResponse, requestedThread, type RequestedThread } from "../thread-call.ts";

/** The verbs that start runs. */
export function runRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/invoke", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, InvokeBody, options.maxBodySize);
    return run(
      context,
      options,
      thread,
      await startOf(context, thread, sentBody(context.req), invokeRequest(body)),
    );
  });

  app.post("/resume", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, ResumeBody, options.maxBodySize);
    return run(
      context,
      options,
      thread,
      await startOf(context, thread, sentBody(context.req), resumeRequest(body)),
    );
  });

  app.post("/stream", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, StreamBody, options.maxBodySize);
    const start = await startOf(context, thread, sentBody(context.req), streamRequest(body));
    return streamed(context, options, thread, (api, after) => api.stream(start, after));
  });

  return app;
}

async function run(
  context: Context,
  options: AppOptions,
  thread: RequestedThread,
  start: StartRun,
): Promise<Response> {
  const answered = callWhole(thread, (api) => api.invoke(start));
  const watch = (signal: AbortSignal): Promise<never> =>
    reauthentications(context, options, signal, thread.address);
  return jsonResponse(context, await whileAllowed(answered, watch));
}
