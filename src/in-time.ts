import { StorageError } from "./errors.ts";

/** So long what a Worker is configured with has to answer, in milliseconds. */
const DEADLINE = 30_000;

/** What the work comes to. Throws an error with the code when it takes too long: no request waits for ever. */
export async function inTime<Value>(
  code: string,
  work: () => Value | Promise<Value>,
  deadline = DEADLINE,
): Promise<Value> {
  const stop = new AbortController();
  const late = async (): Promise<never> => {
    await scheduler.wait(deadline, { signal: stop.signal });
    throw new StorageError(code, `There was no answer within ${deadline} ms. Ask again.`);
  };
  try {
    return await Promise.race([work(), late()]);
  } finally {
    stop.abort();
  }
}
