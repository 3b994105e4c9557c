import type { Context } from "hono";
import type { StartRun } from "../thread/protocol.ts";
import type { Disconnection } from "./disconnection.ts";
import { relay } from "./relay.ts";
import { call, refusal, type RequestedThread } from "./thread-call.ts";

/** The events of a run that this call starts. */
export async function streamRun(
  context: Context,
  thread: RequestedThread,
  start: StartRun,
  disconnection?: Disconnection,
): Promise<Response> {
  const reply = await call(thread, (api) => api.stream(start, false));
  if (!reply.ok) return refusal(context, reply);
  const { namespace, name } = thread;
  const attach = (api: Parameters<Parameters<typeof call>[1]>[0]) => api.stream(start, true);
  const events = relay({ namespace, name, first: reply.value, attach, disconnection });
  return context.body(events, 200, { "content-type": "text/event-stream", "cache-control": "no-store" });
}
