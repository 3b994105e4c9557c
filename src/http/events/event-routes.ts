import type { HonoRequest } from "hono";
import * as v from "valibot";
import { Hono } from "../hono.ts";
import type { AppOptions } from "../app-options.ts";
import { reauthentications } from "../auth/reauthentication.ts";
import { cancelOnDisconnect, refusalToCancel } from "../streams/cancel-on-disconnect.ts";
import { check, parseQuery } from "../requests/body.ts";
import { EVENT_HEADERS, streamed } from "../streams/event-response.ts";
import { EventsQuery, LastRun, ThreadEventsQuery } from "./event-schemas.ts";
import { requireListenable } from "../protocol/thread-listener.ts";
import { callWhole, refusal, requestedThread } from "../thread-call.ts";
import { threadStream } from "../streams/thread-stream.ts";

/** Reading the events of a run that was started before. */
export function eventRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.get("/runs/:run_id/stream", async (context) => {
    const { after, modes, mayCancel } = joinRequest(context.req);
    const runId = context.req.param("run_id");
    const thread = requestedThread(context, options);
    const refused = mayCancel && (await refusalToCancel(context, options, thread, runId));
    if (refused) return refused;
    const read = { ...thread.address, runId, modes };
    return streamed(context, options, thread, (api, last) => api.readEvents({ ...read, after: last }), {
      after,
      ...(mayCancel && { disconnection: (id) => cancelOnDisconnect(thread, id) }),
    });
  });

  return app;
}

const ListedRuns = v.array(v.object({ run_id: v.string(), status: v.string() }));

/** The events of the runs of a thread, one after the other, also of those to come. */
export function threadStreamRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.get("/stream", async (context) => {
    const thread = requestedThread(context, options);
    requireListenable(thread.address.access);
    const { stream_mode: modes } = parseQuery(context.req, ThreadEventsQuery);
    const after = check(LastRun, context.req.header("last-event-id"), "header Last-Event-ID");
    const list = { ...thread.address, limit: 1000, offset: 0, select: ["run_id", "status"] };
    const reply = await callWhole(thread, (api) => api.listRuns(list));
    if (!reply.ok) return refusal(context, reply);
    const runs = v.parse(ListedRuns, JSON.parse(new TextDecoder().decode(reply.value)));
    const ended = runs.filter(({ status }) => status !== "pending" && status !== "running");
    const events = threadStream(thread, {
      modes,
      after: after ?? 0,
      // Without an id: what goes on now, and what comes.
      past: new Set(after === undefined ? ended.map(({ run_id: id }) => id) : []),
      waitUntil: (work) => context.executionCtx.waitUntil(work),
      heartbeat: options.heartbeat,
      watch: (signal) => reauthentications(context, options, signal),
    });
    const location = `/threads/${encodeURIComponent(thread.address.threadId)}/stream`;
    return context.body(events, 200, { ...EVENT_HEADERS, location });
  });

  return app;
}

function joinRequest(request: HonoRequest) {
  const { stream_mode: modes = [], ...query } = request.queries();
  const others = Object.fromEntries(Object.entries(query).map(([key, values]) => [key, values.at(-1)]));
  const header = request.header("last-event-id");
  const {
    last_event_id: id = "-1",
    stream_mode: wanted,
    cancel_on_disconnect: mayCancel,
  } = check(
    EventsQuery,
    {
      ...others,
      ...(header !== undefined && { last_event_id: header }),
      stream_mode: modes.flatMap(namesIn),
    },
    "query",
  );
  return {
    mayCancel,
    after: id === "-1" ? undefined : id,
    modes: wanted.length === 0 ? undefined : wanted,
  };
}

/** One mode, several with commas between them, or a JSON list: clients have all three. */
function namesIn(text: string): string[] {
  return text.replaceAll(/[[\]"\s]/g, "").split(",");
}
