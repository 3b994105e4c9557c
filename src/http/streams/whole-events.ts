import type { ByteStream } from "../../thread/protocol.ts";

const NEWLINE = 10;
/** At least as long as the line of an id, in bytes. */
const ID_SIZE = 64;
const LAST_ID = /\nid: (\d+-\d+)\n\n$/;

/** One event or several, none of them cut off. */
export interface WholeEvents {
  readonly parts: readonly Uint8Array[];
  /** Of the last one, where it has an id. */
  readonly lastId: string | undefined;
}

/** An event ends with an empty line; what was cut off before its end is dropped. The signal ends the reading. */
export async function* wholeEvents(
  events: ByteStream,
  signal: AbortSignal,
): AsyncGenerator<WholeEvents, void, undefined> {
  const reader = events.getReader();
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  let rest: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value: chunk } = await reader.read();
      if (done) return;
      const end = endOfEvents(chunk, rest.at(-1)?.at(-1));
      if (end === 0) {
        rest.push(chunk);
        continue;
      }
      const parts = [...rest, chunk.slice(0, end)];
      rest = end === chunk.length ? [] : [chunk.subarray(end)];
      yield { parts, lastId: LAST_ID.exec(endOf(parts))?.[1] };
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** `before` is the byte that the chunk follows. */
function endOfEvents(chunk: Uint8Array, before: number | undefined): number {
  for (let index = chunk.length - 1; index >= 0; index--) {
    const previous = index === 0 ? before : chunk[index - 1];
    if (chunk[index] === NEWLINE && previous === NEWLINE) return index + 1;
  }
  return 0;
}

/** As text, each byte a character. */
function endOf(parts: readonly Uint8Array[]): string {
  let end = "";
  for (let index = parts.length - 1; index >= 0 && end.length < ID_SIZE; index--) {
    end = String.fromCharCode(...(parts[index]?.subarray(-ID_SIZE) ?? [])) + end;
  }
  return end;
}
