import type { CrashPoint } from "../../src/thread/crash-points.ts";
import { objectName } from "../../src/http/object-name.ts";
import { STOPPED } from "./instances.ts";

/** A place in the course of a thread: so many times had its object come to the point. */
export interface Place {
  readonly point: CrashPoint;
  readonly time: number;
}

/**
 * How an object ends there. "lost": in the very turn, so that what it has written last is gone. "kept": as soon as that is
 * durable.
 */
export type Loss = "lost" | "kept";

interface Plan {
  readonly seen: Map<CrashPoint, number>;
  readonly target: (Place & { readonly loss: Loss }) | undefined;
  isOver: boolean;
}

const plans = new Map<string, Plan>();

/** Notes from now on where the object comes, and others that do their part, and ends the one that comes to the target. */
export function plan(
  name: string,
  target?: Place & { readonly loss: Loss },
  others: readonly string[] = [],
): void {
  const planned: Plan = { seen: new Map(), target, isOver: false };
  for (const each of [name, ...others]) plans.set(each, planned);
}

/** Where the object has come since it was planned, and whether it was ended. */
export function course(name: string): { readonly places: readonly Place[]; readonly isOver: boolean } {
  const { seen, isOver } = plans.get(name) ?? { seen: new Map<CrashPoint, number>(), isOver: false };
  const places = Array.from(seen, ([point, count]) =>
    Array.from({ length: count }, (_, index) => ({ point, time: index + 1 })),
  );
  return { places: places.flat(), isOver };
}

/** Ends the thread's object when it comes to the point next, in the very turn. Gives whether that has happened. */
export function crashAt(point: CrashPoint, threadId: string): () => boolean {
  const name = objectName("", threadId);
  plan(name, { point, time: 1, loss: "lost" });
  return () => course(name).isOver;
}

/** For the test worker: an object has come to a point. */
export function comeTo(state: DurableObjectState, point: CrashPoint): void {
  const known = plans.get(state.id.name ?? "");
  if (known === undefined) return;
  const time = (known.seen.get(point) ?? 0) + 1;
  known.seen.set(point, time);
  const { target } = known;
  if (known.isOver || target?.point !== point || target.time !== time) return;
  known.isOver = true;
  if (target.loss === "kept") {
    endWhenDurable(state);
    return;
  }
  state.abort(STOPPED);
  throw new Error("The object was not stopped.");
}

/** Ends the object as soon as all that it has written is durable. */
export function endWhenDurable(state: DurableObjectState): void {
  void state.storage.sync().then(() => state.abort(STOPPED));
}
