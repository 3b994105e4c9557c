import type { CheckpointIds } from "../checkpoint/id.ts";

/** What the engine needs of the world. Tests control all of it. */
export interface Environment {
  /** Milliseconds since 1970. */
  now(): number;
  readonly checkpointIds: CheckpointIds;
  /** Lets the event loop deliver other events: reads and cancels of a thread that is busy. */
  yieldTurn(): Promise<void>;
  /** Resolves after so many milliseconds, and at once when the signal is aborted; it never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
}
