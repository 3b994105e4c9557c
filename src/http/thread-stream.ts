import { stringifyEvent } from "../json.ts";
import type { ByteStream } from "../thread/protocol.ts";
import { heartbeats } from "./heartbeat.ts";
import { GAP, threadEvents, type ThreadEvent } from "./protocol/thread-listener.ts";
import { relay } from "./relay.ts";
import { call, type RequestedThread } from "./thread-call.ts";
import { wholeEvents } from "./whole-events.ts";

export interface ThreadStreamOptions {
  readonly modes: readonly ("run_modes" | "lifecycle")[];
  /** The number of the last run that was told to its end. */
  readonly after: number;
  /** Runs that nobody wants to hear of. */
  readonly past: ReadonlySet<string>;
  /** In milliseconds. */
  readonly heartbeat: number;
  /** Throws when the client may listen no longer. */
  readonly watch: (signal: AbortSignal) => Promise<never>;
}

const DAY = 24 * 60 * 60 * 1000;
const ID = /\nid: \d+-\d+\n\n/g;

/**
 * The events of the runs of a thread, one run after the other, each followed by `run_done`, which alone has an id: who was cut
 * off is told the run that went on from its beginning. Open until the client leaves, or the thread is deleted.
 */
export function threadStream(thread: RequestedThread, options: ThreadStreamOptions): ByteStream {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const stop = new AbortController();
  let sent: Promise<void> = Promise.resolve();
  const send = (bytes: Uint8Array): Promise<void> => (sent = sent.then(() => writer.write(bytes)));
  const telling = tell(thread, options, send, stop.signal);
  const beating = heartbeats(options.heartbeat, send, stop.signal);
  void Promise.race([telling, beating, options.watch(stop.signal)])
    .then(() => sent)
    .then(() => writer.close())
    // The client is gone, or has to see that the stream was broken off: it comes again.
    .catch((error: unknown) => writer.abort(error).catch(() => undefined))
    .finally(() => stop.abort());
  return readable;
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
  const events = relay({
    namespace,
    name,
    first: first.value,
    attach: (api, after) => api.readEvents({ ...address, runId, after }),
    // The thread's stream has its own.
    heartbeat: DAY,
  });
  for await (const { parts } of wholeEvents(events, signal)) {
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
