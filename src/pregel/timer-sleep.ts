/** The longest delay that timers take: a longer one would fire at once. */
const LONGEST = 2 ** 31 - 1;

/** `Environment.sleep` by the timers of the platform. */
export async function timerSleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let left = milliseconds;
  while (left > 0) {
    if (signal?.aborted) return;
    await pause(Math.min(left, LONGEST), signal);
    left -= LONGEST;
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}
