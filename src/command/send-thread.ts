import type { ContentRecord } from "../archive/records.ts";
import { writeArchive } from "../archive/write-archive.ts";
import { CommandError } from "./command-error.ts";
import { type Server, urlOn } from "./server.ts";

/** Imports a thread into the server; answers what the server says of it. */
export async function sendThread(
  server: Server,
  threadId: string,
  records: AsyncIterable<ContentRecord>,
): Promise<string> {
  const { apiKey } = server;
  const url = urlOn(server, `threads/${encodeURIComponent(threadId)}/import`);
  const failure: { cause?: unknown } = {};
  const request = {
    method: "POST",
    headers: {
      "content-type": "application/vnd.tidemark.thread",
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    body: streamOf(writeArchive(noting(records, failure))),
    // Node asks for it with a body that is a stream.
    duplex: "half",
  };
  const response = await fetch(url, request).catch((cause: unknown) => {
    throw failure.cause ?? new CommandError(`${url.origin} does not answer: is the server running?`, cause);
  });
  if (response.ok) return response.text();
  // A server that refuses before it has read all may close the connection, and what it says breaks off. Without a body it does not.
  const text = await response.text().catch(async () => {
    const again = await fetch(url, { ...request, body: null });
    return again.status === response.status ? again.text() : "what it said broke off";
  });
  throw new CommandError(`${url.href} answered ${response.status}: ${text}`);
}

/** `fetch` says only that a body broke off, and not why. */
async function* noting<Item>(items: AsyncIterable<Item>, failure: { cause?: unknown }): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (cause) {
    failure.cause = cause;
    throw cause;
  }
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: async () => {
      await chunks.return(undefined);
    },
  });
}
