import { CheckpointIds } from "../checkpoint/id.ts";
import type { Environment } from "./environment.ts";
import { timerSleep } from "./timer-sleep.ts";

/** The clock, randomness and event loop of the place the code runs in. One for all graphs: their ids share one order. */
export const systemEnvironment: Environment = {
  now: () => Date.now(),
  checkpointIds: new CheckpointIds(
    () => Date.now(),
    (length) => crypto.getRandomValues(new Uint8Array(length)),
  ),
  yieldTurn,
  sleep: timerSleep,
  random: () => Math.random(),
};

/** By the fastest way that the place has: timers wait for at least a millisecond in some. */
function yieldTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
