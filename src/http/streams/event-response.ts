import type { Context } from "hono";
import type { Reply, RunEvents, ThreadApi } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { reauthentications } from "../auth/reauthentication.ts";
import type { Disconnection } from "./disconnection.ts";
import { relay } from "./relay.ts";
import { call, refusal, type RequestedThread } from "../thread-call.ts";

export interface StreamOptions {
  /** The id of the last event that the client has had already. */
  readonly after?: string | undefined;
  /** Of the run that the events are of. */
  readonly disconnection?: ((runId: string) => Disconnection | undefined) | undefined;
}

export const EVENT_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // Nothing on the way is to collect events before it passes them on.
  "x-accel-buffering": "no",
};

/** Answers with the events of a run. `attach` asks an instance of the thread's object for those after the one with this id. */
export async function streamed(
  context: Context,
  options: AppOptions,
  thread: RequestedThread,
  attach: (api: ThreadApi, after: string | undefined) => Promise<Reply<RunEvents>>,
  { after, disconnection }: StreamOptions = {},
): Promise<Response> {
  const reply = await call(thread, (api) => attach(api, after));
  if (!reply.ok) return refusal(context, reply);
  const { namespace, name, address } = thread;
  const path = `/threads/${encodeURIComponent(address.threadId)}/runs/${reply.value.runId}`;
  const source = { namespace, name, first: reply.value, after, attach };
  const events = relay(source, {
    heartbeat: options.heartbeat,
    disconnection: disconnection?.(reply.value.runId),
    waitUntil: (work) => context.executionCtx.waitUntil(work),
    watch: (signal) => reauthentications(context, options, signal, address),
  });
  return context.body(events, 200, {
    ...EVENT_HEADERS,
    "content-location": path,
    // Where a client that was cut off goes on with the id of its last event.
    location: `${path}/stream`,
  });
}
