import { unreachable } from "./client-error.ts";

/** An event as it was sent. */
export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id: string | undefined;
}

/** The events of a stream, one after the other. `onBytes` is called whenever something comes, comments included. */
export async function* serverEvents(
  { body }: Response,
  onBytes: () => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw unreachable(cause);
      });
      if (done) return;
      onBytes();
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = eventIn(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    // What was cut off needs no cancelling.
    await reader.cancel().catch(() => undefined);
  }
}

/** Undefined for a comment. */
function eventIn(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ""));
  }
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { event: fields.get("event") ?? "message", data: JSON.parse(data), id: fields.get("id") };
}
