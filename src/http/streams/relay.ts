import { errorBody, TidemarkError, type WireError } from "../../errors.ts";
import { stringifyEvent } from "../../json.ts";
import type { ByteStream, Reply, RunEvents, ThreadApi } from "../../thread/protocol.ts";
import { type StreamedBodyOptions, streamedBody } from "./streamed-body.ts";
import { ATTEMPTS, callThread, waitBefore, type ThreadNamespace } from "../thread-stub.ts";
import { type WholeEvents, wholeEvents } from "./whole-events.ts";

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

/** Passes the events of a run on to a client, and heartbeats between them. */
export function relay(source: EventSource, options: Omit<StreamedBodyOptions, "send">): ByteStream {
  return streamedBody({
    ...options,
    async send(client, signal) {
      for await (const { parts } of relayedEvents(source, signal)) await client.send(...parts);
    },
  });
}

/**
 * The events of a run, whole ones only. When the thread object is reset underway, it attaches to the run again and goes on after
 * the last event that was taken.
 */
export async function* relayedEvents(
  source: EventSource,
  signal: AbortSignal,
): AsyncGenerator<WholeEvents, void, undefined> {
  let { after, first: current } = source;
  /** Since the last event that came. */
  let failures = 0;
  for (;;) {
    try {
      for await (const events of wholeEvents(current.events, signal)) {
        yield events;
        after = events.lastId ?? after;
        failures = 0;
      }
      return;
    } catch (error) {
      failures += 1;
      // A stream that comes from an object says only that it broke off, and not why.
      if (failures === ATTEMPTS) throw error;
    } finally {
      current.reader[Symbol.dispose]();
    }
    await waitBefore(failures);
    const reply = await attachAgain(source, after);
    if (!reply.ok) return yield { parts: [errorEvent(reply.error)], lastId: undefined };
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
