import type { Context } from "hono";
import { Hono } from "../hono.ts";
import { RefusedError } from "../../errors.ts";
import { stringifyJson } from "../../json.ts";
import type { AppOptions } from "../app-options.ts";
import { reauthentications } from "../auth/reauthentication.ts";
import { agreedProtocol, isUpgrade } from "../auth/socket-credential.ts";
import { parseBody } from "../requests/body.ts";
import { AnyBody } from "../requests/schemas.ts";
import { requestedThread, type RequestedThread } from "../thread-call.ts";
import { answer } from "./commands.ts";
import { eventStream } from "./event-stream.ts";
import { EVENT_HEADERS } from "../streams/event-response.ts";
import { EventStreamBody } from "./schemas.ts";
import { socketResponse } from "./socket-response.ts";
import { SocketSession } from "./socket-session.ts";
import { requireListenable } from "./thread-listener.ts";

/** LangGraph's protocol of threads: commands, and the events of all runs. */
export function protocolRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/commands", async (context) => {
    const thread = requestedThread(context, options);
    const command = await parseBody(context.req, AnyBody, options.maxBodySize);
    const response = await answer({ context, options, thread }, command);
    return context.body(stringifyJson(response), 200, { "content-type": "application/json" });
  });

  app.get("/stream/events", (context) => {
    if (!isUpgrade(context.req.raw)) throw notUpgraded();
    const thread = listenedThread(context, options);
    return socketResponse(SocketSession.open({ context, options, thread }), agreedProtocol(context.req.raw));
  });

  app.post("/stream/events", async (context) => {
    const thread = listenedThread(context, options);
    const { since, ...filter } = await parseBody(context.req, EventStreamBody, options.maxBodySize);
    const events = eventStream(thread, filter, {
      since: since ?? 0,
      heartbeat: options.heartbeat,
      watch: (signal) => reauthentications(context, options, signal),
      waitUntil: (work) => context.executionCtx.waitUntil(work),
    });
    return context.body(events, 200, EVENT_HEADERS);
  });

  return app;
}

function listenedThread(context: Context, options: AppOptions): RequestedThread {
  const thread = requestedThread(context, options);
  requireListenable(thread.address.access);
  return thread;
}

function notUpgraded(): RefusedError {
  return new RefusedError(
    "invalid_request",
    "The request is not valid: open this path as a WebSocket, or send a filter with POST to read server-sent events.",
  );
}
