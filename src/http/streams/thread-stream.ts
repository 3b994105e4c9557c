import { stringifyEvent } from "../../json.ts";
import type { ByteStream } from "../../thread/protocol.ts";
import { type StreamedBodyOptions, streamedBody } from "./streamed-body.ts";
import { GAP, threadEvents, type ThreadEvent } from "../protocol/thread-listener.ts";
import { type EventSource, relayedEvents } from "./relay.ts";
import { call, type RequestedThread } from "../thread-call.ts";

export interface ThreadStreamOptions extends Pick<StreamedBodyOptions, "heartbeat" | "watch" | "waitUntil"> {
  readonly modes: readonly ("run_modes" | "lifecycle")[];
  /** The number of the last run that was told to its end. */
  readonly after: number;
  /** Runs that nobody wants to hear of. */
  readonly past: ReadonlySet<string>;
}

const ID = /\nid: \d+-\d+\n\n/g;

/**
 * The events of the runs of a thread, one run after the other, each followed by `run_done`, which alone has an id: who was cut
 * off is told the run that went on from its beginning. Open until the client leaves, or the thread is deleted.
 */
export function threadStream(thread: RequestedThread, options: ThreadStreamOptions): ByteStream {
  const { heartbeat, watch, waitUntil } = options;
  const send: StreamedBodyOptions["send"] = (client, signal) =>
    tell(thread, options, (bytes) => client.send(bytes), signal);
  return streamedBody({ send, heartbeat, watch, waitUntil });
}

async function tell(
  thread: RequestedThread,
  { modes, after, past }: ThreadStreamOptions,
  send: (bytes: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const encoder = new TextEncoder();
  const { namespace, name, address } = thread;
  const heard = { namespace, name, access: address.access, channels: ["lifecycle"], since: after };
  for await (const event of threadEvents(heard, signal)) {
    if (event.channel === GAP || event.namespace.length > 0) continue;
    const { runId, state, data } = lifecycleOf(event);
    if (past.has(runId)) continue;
    if (modes.includes("lifecycle")) await send(encoder.encode(stringifyEvent("lifecycle", data)));
    if (state !== "running" || !modes.includes("run_modes")) continue;
    for await (const text of eventsOf(thread, runId, signal)) await send(encoder.encode(text));
    await send(encoder.encode(stringifyEvent("run_done", { run_id: runId }, String(event.number))));
  }
}

/** Without their ids, which are those of the run alone. */
async function* eventsOf(
  thread: RequestedThread,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const { namespace, name, address } = thread;
  const first = await call(thread, (api) => api.readEvents({ ...address, runId }));
  if (!first.ok) return;
  const decoder = new TextDecoder();
  const source: EventSource = {
    namespace,
    name,
    first: first.value,
    attach: (api, after) => api.readEvents({ ...address, runId, after }),
  };
  for await (const { parts } of relayedEvents(source, signal)) {
    const text = parts.map((part) => decoder.decode(part, { stream: true })).join("");
    yield text.replaceAll(ID, "\n\n");
  }
}

interface Lifecycle {
  readonly runId: string;
  readonly state: string;
  readonly data: unknown;
}

/** Of what a thread's object has written. */
function lifecycleOf({ text }: ThreadEvent): Lifecycle {
  const { event_id: id, params } = JSON.parse(text) as {
    readonly event_id: string;
    readonly params: { readonly data: { readonly event: string } };
  };
  return { runId: id.split(":")[1] ?? "", state: params.data.event, data: params.data };
}
