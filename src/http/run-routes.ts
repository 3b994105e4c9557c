import { Hono, type Context } from "hono";
import { v7 as uuid7 } from "uuid";
import type { Reply, RunRequest, StartRun } from "../thread/protocol.ts";
import type { AppOptions } from "./app.ts";
import { parseBody } from "./body.ts";
import { relay } from "./relay.ts";
import { requestConditions } from "./request-conditions.ts";
import { invokeRequest, resumeRequest, streamRequest } from "./run-request.ts";
import { InvokeBody, ResumeBody, StreamBody } from "./schemas.ts";
import { call, jsonResponse, refusal, requestedThread, type RequestedThread } from "./thread-call.ts";

/** The verbs that start runs. */
export function runRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/invoke", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, InvokeBody, options.maxBodySize);
    return run(context, thread, await startOf(context, thread, body, invokeRequest(body)));
  });

  app.post("/resume", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, ResumeBody, options.maxBodySize);
    return run(context, thread, await startOf(context, thread, body, resumeRequest(body)));
  });

  app.post("/stream", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, StreamBody, options.maxBodySize);
    const start = await startOf(context, thread, body, streamRequest(body));
    const reply = await call(thread, (api) => api.stream(start, false));
    if (!reply.ok) return refusal(context, reply);
    const { namespace, name } = thread;
    const events = relay({ namespace, name, first: reply.value, attach: (api) => api.stream(start, true) });
    return context.body(events, 200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  });

  return app;
}

async function run(context: Context, thread: RequestedThread, start: StartRun): Promise<Response> {
  // Read to its end here: a reset in the middle of the answer is then a reset like any other.
  const reply = await call(thread, async (api): Promise<Reply<ArrayBuffer>> => {
    const answer = await api.invoke(start);
    return answer.ok ? { ok: true, value: await new Response(answer.value).arrayBuffer() } : answer;
  });
  return jsonResponse(context, reply);
}

/** The run's id is minted here: a call that is repeated finds the run that it has started. */
async function startOf(
  context: Context,
  thread: RequestedThread,
  body: unknown,
  request: RunRequest,
): Promise<StartRun> {
  const { idempotency, ifMatch } = await requestConditions(context, body);
  return {
    ...thread.address,
    runId: uuid7(),
    request: { ...request, ...(ifMatch !== undefined && { ifMatch }) },
    ...(idempotency !== undefined && { idempotency }),
  };
}
