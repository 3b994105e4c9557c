import type { JsonObject } from "../../directory/protocol.ts";
import { waitBefore, type ThreadNamespace } from "../thread-stub.ts";
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

export interface ListenTo {
  readonly namespace: ThreadNamespace;
  readonly name: string;
  /** What the metadata of the thread has to contain. */
  readonly access: JsonObject | undefined;
  readonly channels: readonly string[];
  /** The number of the last event that was heard before. */
  readonly since: number;
}

/** So many times in a row the object may go away at once. */
const ATTEMPTS = 8;
/** A connection that has lasted so long was a good one, in milliseconds. */
const GOOD_AFTER = 5000;
/** The object is told so often, in characters, that what it has sent has been taken. */
const ACKNOWLEDGED = 64 * 1024;
/** The object closes with this code when the thread is deleted. */
const GONE = 4404;

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
    const messages = await connected(namespace, name, { access, channels, since: heard });
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
    if (failures === ATTEMPTS) throw new Error("The thread's object was reset again and again.");
    await waitBefore(failures);
  }
}

/** Undefined when the object could not take the listener now. */
async function connected(
  namespace: ThreadNamespace,
  name: string,
  { access, channels, since }: Pick<ListenTo, "access" | "channels" | "since">,
): Promise<SocketMessages | undefined> {
  const query = new URLSearchParams([
    ...channels.map((channel) => ["channel", channel]),
    ["since", String(since)],
    ...(access === undefined ? [] : [["access", JSON.stringify(access)]]),
  ]);
  const request = new Request(`https://thread/?${query.toString()}`, { headers: { upgrade: "websocket" } });
  try {
    const { webSocket } = await namespace.getByName(name).fetch(request);
    return webSocket === null ? undefined : new SocketMessages(webSocket);
  } catch {
    // Whatever it was, another instance is asked.
    return undefined;
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
