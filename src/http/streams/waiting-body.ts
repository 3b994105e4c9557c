import type { ByteStream } from "../../thread/protocol.ts";
import { streamedBody, type StreamedBodyOptions } from "./streamed-body.ts";

/** In milliseconds. White space before JSON keeps the connection, and shows when nobody is there any more. */
const PAUSE = 1000;
const NEWLINE = new Uint8Array([10]);

/** A body of JSON that is still to come. It is broken off when it cannot be had. */
export function waitingBody(
  json: () => Promise<Uint8Array>,
  options: Pick<StreamedBodyOptions, "disconnection" | "watch" | "waitUntil">,
): ByteStream {
  return streamedBody({
    ...options,
    heartbeat: PAUSE,
    beat: NEWLINE,
    send: async (client, signal) => client.send(await Promise.race([json(), aborted(signal)])),
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}
