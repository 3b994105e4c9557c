import { InvalidArgumentError, TidemarkError } from "../errors.ts";
import type { Wait } from "./question.ts";
import type { StandardSchema } from "./response-schema.ts";
import type { Asked } from "./scratchpad.ts";
import { SCOPE, taskContext } from "./task-context.ts";
import type { TaskScope } from "./task-scope.ts";
import type { EventTimeout, ReceivedEvent } from "./waited.ts";
import { instantOf, isoTime, millisecondsOf, type Duration, type Time } from "./time.ts";

export interface WaitForEventOptions<Payload = unknown> {
  /** From the first time that the node comes here. Without one it waits for as long as it takes. */
  readonly timeout?: Duration;
  /** What the payload has to be. One that does not fit fails the run, and the node waits on. */
  readonly schema?: StandardSchema<Payload>;
}

/** The config of a node, for places where the async context ends at the first await. */
interface MaybeScoped {
  readonly [SCOPE]?: TaskScope;
}

const EVENT_KEY = /^[^\p{Cc}]+$/u;
/** In bytes. */
const MAX_EVENT_KEY = 256;

/**
 * Leaves the node and lets it run again, from its start, when so much time has passed: then this call returns. It is
 * matched with `interrupt()` and other waits of the node in the order in which they are made, and is measured from the
 * first time that the node comes here. Needs a checkpointer.
 */
export function sleep(duration: Duration, config?: MaybeScoped): void {
  const scope = scopeOf("sleep()", config);
  const length = millisecondsOf(duration);
  const until = isoTime(scope.loop.run.environment.now() + length, duration);
  scope.scratchpad.ask({ value: { kind: "sleep", duration: length }, wait: { kind: "sleep", until } });
}

/** As `sleep`, until a time. One that has passed is no wait at all. */
export function sleepUntil(time: Time, config?: MaybeScoped): void {
  const until = isoTime(instantOf(time));
  const wait: Wait = { kind: "sleep", until };
  scopeOf("sleepUntil()", config).scratchpad.ask({ value: wait, wait });
}

/**
 * Leaves the node and lets it run again, from its start, when an event with this key has come to the thread, or the time
 * is over: then this call returns which. An event that came before is there at once. Otherwise as `sleep`.
 */
export function waitForEvent<Payload = unknown>(
  key: string,
  options: WaitForEventOptions<Payload> & { readonly timeout: Duration },
  config?: MaybeScoped,
): ReceivedEvent<Payload> | EventTimeout;
export function waitForEvent<Payload = unknown>(
  key: string,
  options?: WaitForEventOptions<Payload>,
  config?: MaybeScoped,
): ReceivedEvent<Payload>;
export function waitForEvent(key: string, options: WaitForEventOptions = {}, config?: MaybeScoped): unknown {
  const scope = scopeOf("waitForEvent()", config);
  requireEventKey(key);
  const timeout = options.timeout === undefined ? undefined : millisecondsOf(options.timeout);
  const until = timeout === undefined ? {} : { until: isoTime(scope.loop.run.environment.now() + timeout) };
  const asked: Asked = {
    value: { kind: "event", key, ...(timeout === undefined ? {} : { timeout }) },
    schema: options.schema,
    wait: { kind: "event", key, ...until },
  };
  return scope.scratchpad.ask(asked);
}

/** Refuses what cannot be the key of an event. */
export function requireEventKey(key: string): void {
  const isFit = EVENT_KEY.test(key) && new TextEncoder().encode(key).byteLength <= MAX_EVENT_KEY;
  if (isFit) return;
  throw new InvalidArgumentError(
    "invalid_event_key",
    `The key of an event is a text of 1 to ${MAX_EVENT_KEY} bytes without control characters.`,
  );
}

function scopeOf(call: string, config: MaybeScoped | undefined): TaskScope {
  const scope = config?.[SCOPE] ?? taskContext.get()?.scope;
  if (scope !== undefined) return scope;
  throw new TidemarkError(
    "outside_of_task",
    `${call} was called outside of a running node. Where the platform has no async context, hand it the node's config.`,
  );
}
