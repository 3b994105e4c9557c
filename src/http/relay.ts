import { errorBody, TidemarkError, type WireError } from "../errors.ts";
import { stringifyEvent } from "../json.ts";
import type { ByteStream, Reply, RunEvents, ThreadApi } from "../thread/protocol.ts";
import { ClientGoneError, type EventBodyOptions, type EventClient, eventBody } from "./event-body.ts";
import { ATTEMPTS, callThread, waitBefore, type ThreadNamespace } from "./thread-stub.ts";
import { wholeEvents } from "./whole-events.ts";

/** Where the events of a run come from. */
export interface EventSource {
  readonly namespace: ThreadNamespace;
  readonly name: string;
  readonly first: RunEvents;
  /** The id of the last event that the client has had already. */
  readonly after?: string | undefined;
  /** Asks for the events that come after the one with this id, or for all. */
  readonly attach: (thread: ThreadApi, after: string | undefined) => Promise<Reply<RunEvents>>;
}

export interface RelayOptions extends EventSource, Omit<EventBodyOptions, "send"> {}

/**
 * Passes the events of a run on to a client, whole ones only, and heartbeats between them. When the thread object is reset
 * underway, it attaches to the run again and goes on after the last event that it has passed on.
 */
export function relay({ heartbeat, disconnection, watch, ...source }: RelayOptions): ByteStream {
  const send: EventBodyOptions["send"] = (client, signal) => pump(source, client, signal);
  return eventBody({ send, heartbeat, disconnection, watch });
}

async function pump(source: EventSource, client: EventClient, signal: AbortSignal): Promise<void> {
  let { after, first: current } = source;
  /** Since the last event that came. */
  let failures = 0;
  for (;;) {
    try {
      for await (const { parts, lastId } of wholeEvents(current.events, signal)) {
        await client.send(...parts);
        after = lastId ?? after;
        failures = 0;
      }
      return;
    } catch (error) {
      failures += 1;
      // A stream that comes from an object says only that it broke off, and not why.
      if (error instanceof ClientGoneError || failures === ATTEMPTS) throw error;
    } finally {
      current.reader[Symbol.dispose]();
    }
    await waitBefore(failures);
    const reply = await attachAgain(source, after);
    if (!reply.ok) return client.send(errorEvent(reply.error));
    current = reply.value;
  }
}

async function attachAgain(
  { namespace, name, attach }: EventSource,
  after: string | undefined,
): Promise<Reply<RunEvents>> {
  try {
    return await callThread(namespace, name, (thread) => attach(thread, after));
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    return { ok: false, error, isFailed: false };
  }
}

function errorEvent(error: WireError): Uint8Array {
  return new TextEncoder().encode(stringifyEvent("error", errorBody(error)));
}
