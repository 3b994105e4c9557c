import type { Context } from "hono";
import type * as v from "valibot";
import { Hono } from "../hono.ts";
import type { RunRequest, StartRun } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { reauthentications, whileAllowed } from "../auth/reauthentication.ts";
import { parseBody, sentBody } from "../requests/body.ts";
import { streamed } from "../streams/event-response.ts";
import { invokeRequest, resumeRequest, streamRequest } from "./run-request.ts";
import { startOf } from "./run-start.ts";
import { InvokeBody, ResumeBody, StreamBody } from "../requests/schemas.ts";
import { callWhole, jsonResponse, requestedThread, type RequestedThread } from "../thread-call.ts";

/** The run that a request asks for, and on which thread. */
interface RequestedRun {
  readonly thread: RequestedThread;
  readonly start: StartRun;
}

/** The verbs that start runs. */
export function runRoutes(options: AppOptions): Hono {
  const app = new Hono();

  const requestedRun = async <Schema extends v.GenericSchema>(
    context: Context,
    schema: Schema,
    requestOf: (body: v.InferOutput<Schema>) => RunRequest,
  ): Promise<RequestedRun> => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, schema, options.maxBodySize);
    return { thread, start: await startOf(context, thread, sentBody(context.req), requestOf(body)) };
  };

  app.post("/invoke", async (context) =>
    outcome(context, options, await requestedRun(context, InvokeBody, invokeRequest)),
  );

  app.post("/resume", async (context) =>
    outcome(context, options, await requestedRun(context, ResumeBody, resumeRequest)),
  );

  app.post("/stream", async (context) => {
    const { thread, start } = await requestedRun(context, StreamBody, streamRequest);
    return streamed(context, options, thread, (api, after) => api.stream(start, after));
  });

  return app;
}

async function outcome(
  context: Context,
  options: AppOptions,
  { thread, start }: RequestedRun,
): Promise<Response> {
  const answered = callWhole(thread, (api) => api.invoke(start));
  const watch = (signal: AbortSignal): Promise<never> =>
    reauthentications(context, options, signal, thread.address);
  return jsonResponse(context, await whileAllowed(answered, watch));
}
