import { StorageError } from "../errors.ts";
import type { Reply, ThreadApi } from "../thread/protocol.ts";

/** Objects by name: with each name there is one. */
export interface NamedObjects<Api> {
  getByName(name: string): Api;
}

export type CalledThread = ThreadApi & ThreadListening;
export type ThreadNamespace = NamedObjects<CalledThread>;

/** On whose behalf a thread is called. */
export interface ThreadCaller {
  readonly tenant: string;
  /** The request that the call is for, if it is for one: a thread that is new is made near its client. */
  readonly request?: Request;
}

/** Takes a listener: answers with a socket that gets the thread's events. */
export interface ThreadListening {
  fetch(request: Request): Promise<Response>;
}

/** So often an object is asked that is reset each time. A run may get on from one reset to the next. */
export const ATTEMPTS = 12;
/** The longest wait before the second attempt, in milliseconds; it doubles. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 800;

/** As `callObject`. */
export async function callThread<Value>(
  namespace: ThreadNamespace,
  name: string,
  call: (thread: ThreadApi) => Promise<Reply<Value>>,
): Promise<Reply<Value>> {
  return callThreadObject(() => namespace.getByName(name), call);
}

/** As `callObject`. */
async function callThreadObject<Value>(
  stub: () => ThreadApi,
  call: (thread: ThreadApi) => Promise<Reply<Value>>,
): Promise<Reply<Value>> {
  try {
    return await callObject(stub, call);
  } catch (error) {
    throw wasReset(error) ? unavailable(error) : error;
  }
}

/** Asks an object whether it has a thread, or has that tell its directory what it is. */
export function askObject(
  stub: () => ThreadApi,
  question: "announceThread" | "hasThread",
): Promise<Reply<boolean>> {
  return callThreadObject(stub, (thread): Promise<Reply<boolean>> => thread[question]());
}

/**
 * Calls an object, and calls it again when it was reset underway: by a deploy, an eviction, a crash. A stub is of no use
 * after that, so each attempt takes a new one. Only for calls that may be made twice. Throws the last reset in the end.
 */
export async function callObject<Api, Value>(
  stub: () => Api,
  call: (api: Api) => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(stub());
    } catch (error) {
      if (!wasReset(error) || attempt === ATTEMPTS) throw error;
      await waitBefore(attempt);
    }
  }
}

/** Whether the platform took the object away in the middle of the call, so that the next instance can answer it. */
function wasReset(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isOverloaded = "overloaded" in error && error.overloaded === true;
  const isReset = "durableObjectReset" in error && error.durableObjectReset === true;
  const isRetryable = "retryable" in error && error.retryable === true;
  return (isReset || isRetryable) && !isOverloaded;
}

/** Waits before an attempt is repeated: longer each time, and not in step with others. */
export function waitBefore(attempt: number): Promise<void> {
  const longest = Math.min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT);
  return scheduler.wait(Math.random() * longest);
}

function unavailable(cause: unknown): StorageError {
  return new StorageError(
    "thread_unavailable",
    "The thread's object was reset again and again. What was accepted goes on: read /state before you start a run again.",
    { cause },
  );
}
