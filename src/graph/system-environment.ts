import { CheckpointIds } from "../checkpoint/id.ts";
import type { Environment } from "../pregel/environment.ts";
import { timerSleep } from "./timer-sleep.ts";

/** The clock, randomness and event loop of the place the code runs in. One for all graphs: their ids share one order. */
export const systemEnvironment: Environment = {
  now: () => Date.now(),
  checkpointIds: new CheckpointIds(
    () => Date.now(),
    (length) => crypto.getRandomValues(new Uint8Array(length)),
  ),
  yieldTurn: () => new Promise((resolve) => setTimeout(resolve, 0)),
  sleep: timerSleep,
  random: () => Math.random(),
};
