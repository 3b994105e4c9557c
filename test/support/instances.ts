import { objectName } from "../../src/http/object-name.ts";

/** Why a test stops an object. The test runner keeps what the platform says about such a stop out of its output. */
export const STOPPED = "Instance disposed by the test";

const running = new Map<string, DurableObjectState>();

/** For the test worker: notes which instance of an object is the newest. */
export function noteInstance(state: DurableObjectState): void {
  if (state.id.name !== undefined) running.set(state.id.name, state);
}

/** Stops the object of a thread there and then: what the turn has written is lost. For nodes and reducers. */
export function stopObject(threadId: string): never {
  running.get(objectName("", threadId))?.abort(STOPPED);
  throw new Error("The object was not stopped.");
}
