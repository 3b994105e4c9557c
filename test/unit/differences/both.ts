import { ours, theirs, type Library } from "../oracle/engine.ts";

/** What each of the two engines makes of the same. */
export async function both<T>(play: (library: Library) => Promise<T>): Promise<{ here: T; there: T }> {
  return { here: await play(ours), there: await play(theirs) };
}

export const config = { configurable: { thread_id: "t" } };

/** What was seen of a stream, up to its end or its error. */
export async function seenOf(
  stream: AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>,
): Promise<unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const chunk of await stream) seen.push(chunk);
  } catch (error) {
    seen.push({ threw: error });
  }
  return seen;
}

export const later = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** What the open questions of a result ask. */
export function valuesOf(result: Readonly<Record<string, unknown>>): readonly unknown[] {
  return (result["__interrupt__"] as readonly { readonly value: unknown }[]).map(({ value }) => value);
}
