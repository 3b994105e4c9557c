import type { ClientEnvironment } from "./retrying.ts";

export const SYSTEM: ClientEnvironment = {
  now: Date.now,
  random: Math.random,
  newKey: () => crypto.randomUUID(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      // Whoever sleeps looks at the signal when they wake.
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};
