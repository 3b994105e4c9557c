import type { ByteStream } from "../../thread/protocol.ts";
import { type StreamedBodyOptions, streamedBody } from "../streams/streamed-body.ts";
import type { RequestedThread } from "../thread-call.ts";
import { Subscriptions, type Filter } from "./subscriptions.ts";
import { threadEvents } from "./thread-listener.ts";

export interface EventStreamOptions extends Pick<StreamedBodyOptions, "heartbeat" | "watch" | "waitUntil"> {
  /** The number of the last event that the client has had. */
  readonly since: number;
}

/**
 * The events of a thread as server-sent events, with heartbeats while nothing is told: open until the client leaves, or the
 * thread is deleted.
 */
export function eventStream(
  { namespace, name, address: { access } }: RequestedThread,
  filter: Filter,
  { since, heartbeat, watch, waitUntil }: EventStreamOptions,
): ByteStream {
  const subscriptions = new Subscriptions();
  subscriptions.add("stream", filter, since);
  const { channels } = subscriptions;
  const encoder = new TextEncoder();
  const send: StreamedBodyOptions["send"] = async (client, signal) => {
    for await (const event of threadEvents({ namespace, name, access, channels, since }, signal)) {
      if (!subscriptions.wants(event)) continue;
      const text = `event: ${event.method}\ndata: ${event.text}\nid: ${event.number}\n\n`;
      await client.send(encoder.encode(text));
    }
  };
  return streamedBody({ send, heartbeat, watch, waitUntil });
}
