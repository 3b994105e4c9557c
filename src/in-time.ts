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

/**
 * Work that is told to stop when it takes longer than so many milliseconds. No timer is left when it has ended: one would hold the object
 * in memory until its time has come, as that of `AbortSignal.timeout` does.
 */
export async function stoppedAfter<Value>(
  deadline: number,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), deadline);
  try {
    return await work(late.signal);
  } finally {
    clearTimeout(timer);
  }
}
