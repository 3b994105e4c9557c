import type { JsonObject } from "../../directory/protocol.ts";
import { RefusedError } from "../../errors.ts";
import { ATTEMPTS, waitBefore, type NamedObjects, type ThreadListening } from "../thread-stub.ts";
import { SocketMessages } from "./socket-messages.ts";

/** An event of a thread, with what is needed to pass it on. */
export interface ThreadEvent {
  readonly number: number;
  readonly method: string;
  readonly channel: string;
  readonly namespace: readonly string[];
  /** JSON. */
  readonly text: string;
}

/** Whether a run has come to its end, or waits. */
export function isRunEnd({ method, namespace, text }: ThreadEvent): boolean {
  if (method !== "lifecycle" || namespace.length > 0) return false;
  // As the thread has written it.
  const { params } = JSON.parse(text) as { params: { data: { event: string } } };
  return params.data.event !== "running";
}

export interface ListenTo {
  readonly namespace: NamedObjects<ThreadListening>;
  readonly name: string;
  /** What the metadata of the thread has to contain. */
  readonly access: JsonObject | undefined;
  readonly channels: readonly string[];
  /** The number of the last event that was heard before. */
  readonly since: number;
}

/** A connection that has lasted so long was a good one, in milliseconds. */
const GOOD_AFTER = 5000;
/** The object is told so often, in characters, that what it has sent has been taken. */
const ACKNOWLEDGED = 64 * 1024;
/** An event of any channel: some of what came before the next one is not kept any more. */
export const GAP = "gap";
/** The object closes with this code when the thread is deleted. */
const GONE = 4404;

/** What a listener's filter may have, in characters of JSON: the object's platform keeps it with the socket. */
const MAX_ACCESS = 4096;

/** Refuses a filter that is too large to listen with. */
export function requireListenable(access: JsonObject | undefined): void {
  const size = access === undefined ? 0 : JSON.stringify(access).length;
  if (size <= MAX_ACCESS) return;
  throw new RefusedError(
    "invalid_filter",
    `Listeners are let in with a filter of up to ${MAX_ACCESS} characters; this one has ${size}.`,
    { details: { size, limit: MAX_ACCESS } },
  );
}

/**
 * The events of a thread, also across resets of its object. Ends when the thread is deleted, or with the signal. The object
 * may sleep meanwhile: it keeps a socket, and wakes when there is something to tell.
 */
export async function* threadEvents(
  { namespace, name, access, channels, since }: ListenTo,
  signal: AbortSignal,
): AsyncGenerator<ThreadEvent, void, undefined> {
  let heard = since;
  for (let failures = 0; !signal.aborted;) {
    const begun = Date.now();
    const { messages, fault } = await connected(namespace, name, { access, channels, since: heard });
    try {
      for await (const message of messages?.until(signal) ?? []) {
        const event = eventOf(message);
        yield event;
        heard = event.number;
        failures = 0;
        messages?.acknowledge(message.length, ACKNOWLEDGED);
      }
    } finally {
      messages?.leave();
    }
    if (messages?.closeCode === GONE || signal.aborted) return;
    failures = Date.now() - begun > GOOD_AFTER ? 1 : failures + 1;
    if (failures === ATTEMPTS)
      throw new Error("The thread's object was reset again and again.", { cause: fault });
    await waitBefore(failures);
  }
}

/** `fault`: why the object could not take the listener now. */
async function connected(
  namespace: ListenTo["namespace"],
  name: string,
  { access, channels, since }: Pick<ListenTo, "access" | "channels" | "since">,
): Promise<{ readonly messages?: SocketMessages; readonly fault?: unknown }> {
  const query = new URLSearchParams([
    ...channels.map((channel) => ["channel", channel]),
    ["since", String(since)],
    ...(access === undefined ? [] : [["access", JSON.stringify(access)]]),
  ]);
  const request = new Request(`https://thread/?${query.toString()}`, { headers: { upgrade: "websocket" } });
  try {
    const { webSocket } = await namespace.getByName(name).fetch(request);
    return webSocket === null ? {} : { messages: new SocketMessages(webSocket) };
  } catch (fault) {
    // Whatever it was, another instance is asked.
    return { fault };
  }
}

/** As the thread sends it: three lines, and the text. */
function eventOf(message: string): ThreadEvent {
  const [first, second, third] = lineEnds(message);
  const method = message.slice(first + 1, second);
  return {
    number: Number(message.slice(0, first)),
    method,
    channel: method.split(".", 1)[0] ?? "",
    namespace: JSON.parse(message.slice(second + 1, third)) as readonly string[],
    text: message.slice(third + 1),
  };
}

function lineEnds(message: string): readonly [number, number, number] {
  const first = message.indexOf("\n");
  const second = message.indexOf("\n", first + 1);
  return [first, second, message.indexOf("\n", second + 1)];
}
