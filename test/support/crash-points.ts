import type { CrashPoint } from "../../src/thread/crash-points.ts";
import { STOPPED } from "./instances.ts";

let armed: { readonly point: CrashPoint; readonly thread: string } | undefined;

/** Stops the thread's object when it reaches the point next. Gives whether that has happened. */
export function crashAt(point: CrashPoint, thread: string): () => boolean {
  const crash = (armed = { point, thread });
  return () => armed !== crash;
}

/** For the test worker: an object has reached a point. */
export function noteReached(state: DurableObjectState, point: CrashPoint): void {
  if (armed?.point !== point || state.id.name?.includes(armed.thread) !== true) return;
  armed = undefined;
  state.abort(STOPPED);
}
