import { isObject } from "../values/containers.ts";
import type { DirectoryApi } from "../directory/protocol.ts";
import { type CallShard, TenantDirectory } from "../directory/tenant-directory.ts";
import { RefusedError, StorageError, TidemarkError } from "../errors.ts";
import type { RateLimiter } from "../http/auth/rate-limit.ts";
import { objectName } from "../http/object-name.ts";
import {
  askObject,
  type CalledThread,
  callObject,
  callThread,
  type ThreadCaller,
  type ThreadNamespace,
} from "../http/thread-stub.ts";
import { inTime } from "../in-time.ts";
import { boundTo } from "../thread/bound.ts";
import type { Report } from "../log.ts";
import type { AskThread } from "../directory/expected-threads.ts";
import type { ThreadApi } from "../thread/protocol.ts";
import type { CallThread } from "../thread/crons/cron-thread-starts.ts";
import type { ObjectNamespace, Placement } from "./placement.ts";

/**
 * What a Worker is bound to, by the names in wrangler.toml.
 *
 * @module
 */

/** The objects of threads, in the jurisdiction of each tenant and near each client. */
export function threadsIn(
  env: unknown,
  binding: string,
  placement: Placement,
): (caller: ThreadCaller) => ThreadNamespace {
  const bound = boundTo(env, binding);
  if (isNamespace<CalledThread>(bound)) return (caller) => placement.near(bound, caller);
  throw threadsMissing(binding);
}

function threadsMissing(binding: string): TidemarkError {
  return bindingMissing(binding, "durable_objects.bindings", ', class_name = "Thread"');
}

function bindingMissing(binding: string, section: string, more = ""): TidemarkError {
  return new TidemarkError(
    "binding_missing",
    `The Worker has no binding "${binding}". Add to wrangler.toml: [[${section}]] name = "${binding}"${more}.`,
  );
}

/** The objects of threads by the objects' own ids, wherever they are. */
export function threadsById(env: unknown, binding: string): (objectId: string) => () => ThreadApi {
  const bound = boundTo(env, binding);
  if (!hasIds(bound)) throw threadsMissing(binding);
  return (objectId) => {
    const id = idOf(bound, objectId);
    return () => bound.get(id);
  };
}

export function threadAsking(env: unknown, binding: string): AskThread {
  return async (objectId, question) => {
    const stub = threadsById(env, binding)(objectId);
    const reply = await askObject(stub, question);
    if (reply.ok) return reply.value;
    const { error: cause } = reply;
    throw new StorageError("thread_unavailable", `The thread cannot tell what it is: ${cause.message}`, {
      cause,
    });
  };
}

interface ById<Id> {
  idFromString(hex: string): Id;
  get(id: Id): ThreadApi;
}

function hasIds(bound: unknown): bound is ById<object> {
  return isObject(bound) && "idFromString" in bound && "get" in bound;
}

function idOf(namespace: ById<object>, objectId: string): object {
  try {
    return namespace.idFromString(objectId);
  } catch (cause) {
    throw new RefusedError("invalid_request", `"${objectId}" is no object of a thread.`, { cause });
  }
}

export function threadCalls(binding: string, placement: Placement): (env: unknown) => CallThread {
  return (env) =>
    ({ tenant, threadId }, call) =>
      callThread(threadsIn(env, binding, placement)({ tenant }), objectName(tenant, threadId), call);
}

export interface DirectoryBinding {
  readonly binding: string;
  /** Among how many objects a tenant is divided. */
  readonly shards: number;
  readonly placement: Placement;
}

/** Makes each call of an object. */
export type CallsWithin = <Value>(call: () => Promise<Value>) => Promise<Value>;

/** Finds the directory of each tenant, when directories are bound. */
export function directoriesIn(
  env: unknown,
  { binding, shards, placement }: DirectoryBinding,
  within: CallsWithin,
): ((tenant: string) => DirectoryApi) | undefined {
  const bound = boundTo(env, binding);
  if (!isNamespace<DirectoryApi>(bound)) return undefined;
  return (tenant) => {
    const objects = placement.within(bound, tenant);
    const names = Array.from({ length: shards }, (_, index) => JSON.stringify([tenant, index]));
    return new TenantDirectory(
      names.map(
        (name): CallShard =>
          (call) =>
            within(() => callObject(() => objects.getByName(name), call)),
      ),
    );
  };
}

/** Waits for an object of a directory as long as for anything that is configured. */
export const directoryInTime: CallsWithin = (call) => inTime("directory_unavailable", call);

/** Says to whoever asks the directory that it did not answer, and to the operator why. */
export function reported(report: Report): CallsWithin {
  return (call) =>
    directoryInTime(call).catch((cause: unknown) => {
      report(cause);
      throw new StorageError("directory_unavailable", "The directory did not answer. Ask again.", { cause });
    });
}

/** `isNamed`: the options ask for it. Then, or where something else is bound, nobody is served as if there were no limits. */
export function limiterOf(env: unknown, binding: string, isNamed: boolean): RateLimiter | undefined {
  const bound = boundTo(env, binding);
  if (isLimiter(bound)) return bound;
  if (bound === undefined && !isNamed) return undefined;
  throw bindingMissing(binding, "ratelimits");
}

function isLimiter(bound: unknown): bound is RateLimiter {
  return isObject(bound) && "limit" in bound;
}

/** Which class it is of says the configuration. */
function isNamespace<Api>(bound: unknown): bound is ObjectNamespace<Api> {
  return isObject(bound) && "getByName" in bound;
}
