import type { DirectoryApi } from "../directory/protocol.ts";
import { type CallShard, TenantDirectory } from "../directory/tenant-directory.ts";
import { StorageError, TidemarkError } from "../errors.ts";
import type { RateLimiter } from "../http/auth/rate-limit.ts";
import { objectName } from "../http/object-name.ts";
import { callObject, callThread, type ThreadNamespace } from "../http/thread-stub.ts";
import { boundTo } from "../thread/bound.ts";
import type { Report } from "../log.ts";
import type { CallThread } from "../thread/cron-thread-starts.ts";

/**
 * What a Worker is bound to, by the names in wrangler.toml.
 *
 * @module
 */

export function namespaceOf(env: unknown, binding: string): ThreadNamespace {
  const bound = boundTo(env, binding);
  if (isNamespace(bound)) return bound;
  throw new TidemarkError(
    "binding_missing",
    `The Worker has no Durable Object binding "${binding}". Add to wrangler.toml: [[durable_objects.bindings]] name = "${binding}", class_name = "Thread".`,
  );
}

export function threadCalls(binding: string): (env: unknown) => CallThread {
  return (env) =>
    ({ tenant, threadId }, call) =>
      callThread(namespaceOf(env, binding), objectName(tenant, threadId), call);
}

/** Finds the directory of each tenant, when directories are bound. */
export function directoriesIn(
  env: unknown,
  binding: string,
  shards: number,
  /** What is thrown instead of what an object has thrown. */
  errorOf: (fault: unknown) => unknown,
): ((tenant: string) => DirectoryApi) | undefined {
  const bound = boundTo(env, binding);
  if (!isDirectoryNamespace(bound)) return undefined;
  return (tenant) => {
    const names = Array.from({ length: shards }, (_, index) => JSON.stringify([tenant, index]));
    return new TenantDirectory(
      names.map(
        (name): CallShard =>
          (call) =>
            callObject(() => bound.getByName(name), call).catch((fault: unknown) => {
              throw errorOf(fault);
            }),
      ),
    );
  };
}

/** Says to whoever asks the directory that it did not answer, and to the operator why. */
export function reported(report: Report): (cause: unknown) => StorageError {
  return (cause) => {
    report(cause);
    return new StorageError("directory_unavailable", "The directory did not answer. Ask again.", { cause });
  };
}

function isDirectoryNamespace(bound: unknown): bound is { getByName(name: string): DirectoryApi } {
  return typeof bound === "object" && bound !== null && "getByName" in bound;
}

export function limiterOf(env: unknown, binding: string): RateLimiter | undefined {
  const bound = boundTo(env, binding);
  return isLimiter(bound) ? bound : undefined;
}

function isLimiter(bound: unknown): bound is RateLimiter {
  return typeof bound === "object" && bound !== null && "limit" in bound;
}

function isNamespace(bound: unknown): bound is ThreadNamespace {
  return typeof bound === "object" && bound !== null && "getByName" in bound;
}
