import type { Context } from "hono";
import { Hono } from "../hono.ts";
import { discard } from "../../discard.ts";
import { RefusedError } from "../../errors.ts";
import type { NamedRun, StartRun } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { parseBody, parseQuery, sentBody } from "../requests/body.ts";
import { cancelOnDisconnect, refusalToCancel } from "../streams/cancel-on-disconnect.ts";
import type { Disconnection } from "../streams/disconnection.ts";
import { configuredHeaders } from "./configured-headers.ts";
import { streamed } from "../streams/event-response.ts";
import { newId } from "../new-id.ts";
import { once } from "../once.ts";
import { callAcceptedRun, callToldRun, told, valuesNow, valuesOf } from "./run-answers.ts";
import { withoutUnknownInput } from "../requests/unknown-input.ts";
import { canBeginThread } from "../../thread-beginning.ts";
import { startTogether } from "./run-batch.ts";
import { withAssistant } from "./run-assistant.ts";
import { createdRunRequest, RunBatchBody, type RunCreate, RunCreateBody } from "./run-create.ts";
import { startOf } from "./run-start.ts";
import * as schemas from "./runs-schemas.ts";
import {
  call,
  jsonResponse,
  namedThread,
  refusal,
  requestedThread,
  type RequestedThread,
} from "../thread-call.ts";

interface CreatedRun {
  readonly thread: RequestedThread;
  readonly start: StartRun;
  readonly isCancelledOnDisconnect: boolean;
}

/** Starting runs on the paths of LangGraph's platform: in the background, for their values, for their events. */
export function createRunRoutes(options: AppOptions): Hono {
  return creating((context, ifUnnamed) => createdRun(context, options, ifUnnamed), options);
}

/** The same for runs that nobody has made a thread for: each has one of its own. */
export function statelessRunRoutes(options: AppOptions): Hono {
  const app = creating(
    async (context, ifUnnamed) => statelessRun(context, options, await runBody(context, options, ifUnnamed)),
    options,
  );

  app.post("/runs/batch", async (context) => {
    const bodies = await parseBody(context.req, RunBatchBody, options.maxBodySize);
    const runs: CreatedRun[] = [];
    for (const [index, body] of bodies.entries()) {
      runs.push(await statelessRun(context, options, body, String(index)));
    }
    const reply = await startTogether(runs);
    if (!reply.ok) return refusal(context, reply);
    return context.json(reply.value.map(({ run }) => JSON.parse(new TextDecoder().decode(run)) as unknown));
  });

  return app;
}

/** The modes of a body that names none. */
type UnnamedModes = Pick<RunCreate, "stream_mode">;

/** Who only waits for a run asks for no events: none are kept, unless its body names some. */
const WITHOUT_EVENTS: UnnamedModes = { stream_mode: [] };

function creating(
  created: (context: Context, ifUnnamed: UnnamedModes) => Promise<CreatedRun>,
  options: AppOptions,
): Hono {
  const app = new Hono();

  app.post("/runs", async (context) => {
    const { thread, start } = await created(context, {});
    return told(context, thread, await callToldRun(thread, (api) => api.startRun(start)));
  });

  app.post("/runs/wait", async (context) => {
    const asked = await created(context, WITHOUT_EVENTS);
    const { thread, start } = asked;
    const reply = await callAcceptedRun(thread, start);
    if (!reply.ok) return refusal(context, reply);
    const { runId, values } = reply.value;
    const run = { ...thread.address, runId };
    if (values !== undefined) return valuesNow(context, thread, runId, values);
    return valuesOf(context, options, { thread, run }, disconnectionOf(context, asked, runId));
  });

  app.post("/runs/stream", async (context) => {
    const asked = await created(context, {});
    const { thread, start } = asked;
    return streamed(context, options, thread, (api, after) => api.stream(start, after), {
      disconnection: (runId) => disconnectionOf(context, asked, runId),
    });
  });

  return app;
}

/** What becomes of the run that was answered with when the client goes. */
function disconnectionOf(
  context: Context,
  { thread, start, isCancelledOnDisconnect }: CreatedRun,
  runId: string,
): Disconnection | undefined {
  return isCancelledOnDisconnect ? cancelOnDisconnect(thread, runId, start) : undefined;
}

/** Waiting for a run that was started before. */
export function joinRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.get("/runs/:run_id/join", async (context) => {
    const { thread, run } = requestedRun(context, options);
    const { cancel_on_disconnect: mayCancel } = parseQuery(context.req, schemas.JoinQuery);
    const refused = mayCancel && (await refusalToCancel(context, options, thread, run.runId));
    if (refused) return refused;
    const reply = await call(thread, (api) => api.getRun(run));
    if (!reply.ok) return refusal(context, reply);
    await discard(reply.value.run);
    const disconnection = mayCancel ? cancelOnDisconnect(thread, run.runId) : undefined;
    return valuesOf(context, options, { thread, run }, disconnection);
  });

  return app;
}

/** Runs by their ids. */
export function runsRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.get("/runs", async (context) => {
    const thread = requestedThread(context, options);
    const { status, select, limit, offset } = parseQuery(context.req, schemas.ListRunsQuery);
    const list = {
      ...thread.address,
      limit,
      offset,
      ...(status !== undefined && { status }),
      ...(select !== undefined && { select }),
    };
    return jsonResponse(context, await call(thread, (api) => api.listRuns(list)));
  });

  app.get("/runs/:run_id", async (context) => {
    const { thread, run } = requestedRun(context, options);
    return told(context, thread, await callToldRun(thread, (api) => api.getRun(run)));
  });

  app.post("/runs/:run_id/cancel", async (context) => {
    const { thread, run } = requestedRun(context, options);
    const { action, wait, reason } = parseQuery(context.req, schemas.CancelQuery);
    const cancelled = { ...run, action: reason === "taken" ? ("taken" as const) : action, wait };
    const make = async (): Promise<Response> => {
      const reply = await callToldRun(thread, (api) => api.cancelRun(cancelled));
      if (!reply.ok || !reply.value.isCancelled) return told(context, thread, reply);
      return cancelled.wait ? context.body(null, 204) : told(context, thread, reply, 202);
    };
    return once(context, options, make, async (status) => {
      if (status === "204") return context.body(null, 204);
      const reply = await callToldRun(thread, (api) => api.getRun(run));
      return told(context, thread, reply, status === "202" ? 202 : 200);
    });
  });

  app.delete("/runs/:run_id", async (context) => {
    const { thread, run } = requestedRun(context, options);
    const reply = await call(thread, (api) => api.deleteRun(run));
    return reply.ok ? context.body(null, 204) : refusal(context, reply);
  });

  return app;
}

async function createdRun(
  context: Context,
  options: AppOptions,
  ifUnnamed: UnnamedModes,
): Promise<CreatedRun> {
  const thread = requestedThread(context, options);
  const body = await runBody(context, options, ifUnnamed);
  const created = await assistedRun(context, options, thread, body);
  return { ...created, start: { ...created.start, mustExist: body.if_not_exists === "reject" } };
}

async function runBody(context: Context, options: AppOptions, ifUnnamed: UnnamedModes): Promise<RunCreate> {
  const body = await parseBody(context.req, RunCreateBody, options.maxBodySize);
  return body.stream_resumable === true ? body : { ...ifUnnamed, ...body };
}

/** `part`: which of the runs of its request it is. */
async function statelessRun(
  context: Context,
  options: AppOptions,
  body: RunCreate,
  part = "",
): Promise<CreatedRun> {
  const thread = namedThread(context, options, newId(context, part));
  const created = await assistedRun(context, options, thread, body);
  if (!canBeginThread(created.start.request.input)) {
    throw new RefusedError(
      "empty_input",
      "A run without a thread needs an input: it has nothing to go on from.",
    );
  }
  // The run is found without its thread, which goes by the same id.
  const runId = thread.address.threadId;
  return { ...created, start: { ...created.start, runId, isTemporary: body.on_completion === "delete" } };
}

async function assistedRun(
  context: Context,
  options: AppOptions,
  thread: RequestedThread,
  requested: RunCreate,
): Promise<CreatedRun> {
  const { graph, body } = await withAssistant(context, options, requested);
  const configurable = { ...body.config.configurable, ...configuredHeaders(context) };
  const asked = createdRunRequest({ ...body, config: { ...body.config, configurable } }, graph);
  const run =
    options.takesUnknownInput === true ? withoutUnknownInput(options.graphs[graph ?? ""], asked) : asked;
  const start = await startOf(context, thread, sentBody(context.req), run, body.checkpoint);
  return {
    thread,
    start: { ...start, isAcknowledged: true },
    isCancelledOnDisconnect: body.on_disconnect === "cancel",
  };
}

function requestedRun(
  context: Context,
  options: AppOptions,
): { readonly thread: RequestedThread; readonly run: NamedRun } {
  const thread = requestedThread(context, options);
  return { thread, run: { ...thread.address, runId: context.req.param("run_id") ?? "" } };
}
