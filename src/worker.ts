import { v7 as uuid7 } from "uuid";
import { MsgpackSerializer } from "./checkpoint/serde/msgpack-serializer.ts";
import type { SerializerProtocol } from "./checkpoint/serde/protocol.ts";
import { createDirectoryClass, type DirectoryClass } from "./directory/durable-directory.ts";
import type { BaseStore } from "./checkpoint/store/base-store.ts";
import { DirectoryStore } from "./directory/directory-store.ts";
import type { DirectoryApi } from "./directory/protocol.ts";
import { type CallShard, TenantDirectory } from "./directory/tenant-directory.ts";
import { StorageError, TidemarkError } from "./errors.ts";
import {
  type Deliveries,
  deliveriesOf,
  type DeliveryOptions,
  type HookOptions,
  type Links,
  linksOf,
} from "./hooks/hook-options.ts";
import type { OutboxOptions } from "./thread/outbox/outbox-options.ts";
import { createApp } from "./http/app.ts";
import type { Authenticate } from "./http/auth/principal.ts";
import type { EventSchemas } from "./http/inbound-event-schemas.ts";
import type { WebhookSource } from "./http/webhooks/source.ts";
import type { RateLimiter } from "./http/auth/rate-limit.ts";
import { objectName } from "./http/object-name.ts";
import { callObject, callThread, type ThreadNamespace } from "./http/thread-stub.ts";
import type { RunnableGraph } from "./pregel/runnable-graph.ts";
import type { CallThread } from "./thread/cron-thread-starts.ts";
import { eventOptions, type EventOptions } from "./thread/events/event-options.ts";
import type { NextTime } from "./thread/schedules.ts";
import { checkRetention, type Retention } from "./thread/retention.ts";
import { createThreadClass, type ThreadClass } from "./thread/durable-thread.ts";
import { boundTo } from "./thread/bound.ts";

/**
 * What a Worker needs to serve graphs.
 *
 * @module
 */

export { apiKeys, type ApiKey } from "./http/auth/api-keys.ts";
export type { NextTime } from "./thread/schedules.ts";
export { githubWebhooks, standardWebhooks, stripeWebhooks } from "./http/webhooks/verifiers.ts";
export type { Secrets, TimedOptions } from "./http/webhooks/verifiers.ts";
export type { VerifyWebhook, WebhookDelivery, WebhookEvent, WebhookSource } from "./http/webhooks/source.ts";
export type { DeliveryOptions, HookOptions } from "./hooks/hook-options.ts";
export type { HookKey } from "./hooks/hook-keys.ts";
export type { EventOptions } from "./thread/events/event-options.ts";
export type { Authenticate, Principal } from "./http/auth/principal.ts";

export interface RuntimeOptions {
  /** The graphs by name. A thread keeps to the one that it was started with. */
  readonly graphs: Readonly<Record<string, RunnableGraph>>;
  /** The names of the bindings in wrangler.toml. */
  readonly bindings?: {
    /** The Durable Objects of the `Thread` class; "THREAD" by default. */
    readonly thread?: string;
    /** The R2 bucket for large values, optional; "BLOBS" by default. */
    readonly blobs?: string;
    /** The Durable Objects of the `Directory` class, optional; "DIRECTORY" by default. */
    readonly directory?: string;
    /** The version of the Worker, optional; "CF_VERSION_METADATA" by default. It tells a deploy from a run that gets nowhere. */
    readonly version?: string;
    /** The limiter of the requests of each caller, optional; "RATE_LIMITER" by default. */
    readonly rateLimiter?: string;
  };
  /** Says who makes a request: `apiKeys`, or a function. Without it, only requests to localhost are served. */
  readonly auth?: Authenticate;
  /** The origins of pages that may use the server, as in "https://app.example.com", besides those on localhost. */
  readonly origins?: readonly string[];
  /** What is known across threads, when the `Directory` is bound. */
  readonly directory?: {
    /** What of their values is known there: paths of keys, as in "order.id"; up to 4 KB for each thread. */
    readonly extract?: readonly string[];
    /** Among how many objects a tenant's threads are divided, 4 by default. Never change it once there are threads. */
    readonly shards?: number;
  };
  /** The largest body of a request in bytes, 10 MiB by default. */
  readonly maxBodySize?: number;
  /** Strings and bytes above it, in bytes, are kept apart from the rows, 128 KiB by default. */
  readonly inlineLimit?: number;
  /**
   * Makes the serializer of a thread's object from its bindings; a `MsgpackSerializer` by default. With an
   * `EncryptedSerializer` the values of the thread, its runs and their answers are stored encrypted, in the bucket too.
   */
  readonly serde?: (env: Cloudflare.Env) => SerializerProtocol;
  /** A run whose object was stopped is taken up by the next request, or after so many milliseconds; 30,000 by default. */
  readonly lease?: number;
  /** What threads remove by themselves; nothing by default. */
  readonly retention?: Retention;
  /** What is kept of the events of streamed runs, so that they can be read again, and how they are sent. */
  readonly events?: EventOptions;
  /**
   * What the payloads of events have to be, by key: Standard Schemas (zod, valibot, …). An event that does not fit is
   * refused to its sender. One whose key is not here may bring anything.
   */
  readonly eventSchemas?: EventSchemas;
  /** Who may send events to `POST /webhooks/:source`, by that name: each proves itself by its own signature. */
  readonly webhooks?: Readonly<Record<string, WebhookSource>>;
  /** Links that answer questions; none by default. */
  readonly hooks?: HookOptions;
  /** Webhooks that are told how runs came out; none by default. */
  readonly deliveries?: DeliveryOptions;
  /**
   * Reads the schedules of crons, as a library for them does; without it there are no crons.
   *
   * @example
   * crons: (schedule, timezone, after) => new Cron(schedule, { timezone, mode: "5-part" }).nextRun(after) // croner
   */
  readonly crons?: NextTime;
  /** Takes errors that nobody expected; they go to the console by default. */
  readonly report?: (error: unknown) => void;
}

export interface Runtime {
  fetch(request: Request, env: object, ctx: ExecutionContext): Response | Promise<Response>;
  /** The class that wrangler.toml binds; export it from the Worker. */
  readonly Thread: ThreadClass;
  /** As `Thread`. */
  readonly Directory: DirectoryClass;
}

const MAX_BODY_SIZE = 10 * 1024 * 1024;
const LEASE = 30_000;
const SHARDS = 4;
const BINDINGS: Required<NonNullable<RuntimeOptions["bindings"]>> = {
  thread: "THREAD",
  directory: "DIRECTORY",
  blobs: "BLOBS",
  rateLimiter: "RATE_LIMITER",
  version: "CF_VERSION_METADATA",
};

/**
 * A Worker that serves graphs.
 *
 * @example
 * const runtime = createRuntime({ graphs: { support } });
 * export const { Thread, Directory } = runtime;
 * export default runtime;
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  const {
    graphs,
    directory: { extract = [], shards = SHARDS } = {},
    auth,
    origins = [],
    maxBodySize = MAX_BODY_SIZE,
    inlineLimit,
    serde,
    lease = LEASE,
    retention = {},
    events = {},
    eventSchemas = {},
    webhooks = {},
    hooks,
    deliveries,
    crons,
    report = toConsole,
  } = options;
  const bindings = { ...BINDINGS, ...options.bindings };
  requireGraphs(graphs);
  checkRetention(retention);
  const directories = (env: unknown) => directoriesIn(env, bindings.directory, shards, (fault) => fault);
  const store = (env: unknown, of: DirectoryApi): BaseStore =>
    new DirectoryStore(of, serde?.(env as Cloudflare.Env) ?? new MsgpackSerializer());
  const { heartbeat, ...limits } = eventOptions(events);
  const links = hooks && linksOf(hooks);
  const app = createApp({
    graphs,
    auth,
    origins,
    maxBodySize,
    heartbeat,
    report,
    eventSchemas,
    webhooks,
    hasCrons: crons !== undefined,
    threads: (env) => namespaceOf(env, bindings.thread),
    directories: (env) => directoriesIn(env, bindings.directory, shards, reported(report)),
    store,
    extract,
    rateLimiter: (env) => limiterOf(env, bindings.rateLimiter),
    hookKeys: (env) => links?.keys(env),
  });
  return {
    fetch: (request, env, ctx) => app.fetch(request, env, ctx),
    Directory: createDirectoryClass(serde),
    Thread: createThreadClass({
      graphs,
      mintId: uuid7,
      blobsBinding: bindings.blobs,
      versionBinding: bindings.version,
      inlineLimit,
      serde,
      lease,
      retention,
      crons,
      callThread: threadCalls(bindings.thread),
      directory: (env) => {
        const of = directories(env);
        return of && { of, store: (tenant) => store(env, of(tenant)), extract };
      },
      events: limits,
      outbox: outboxOf(links, deliveriesOf(deliveries)),
      report,
    }),
  };
}

function outboxOf(
  links: Links | undefined,
  { secrets, ...told }: Deliveries,
): (env: unknown) => OutboxOptions {
  return (env) => ({
    ...told,
    secrets: () => secrets(env),
    links: links && (() => ({ ...links, keys: links.keys(env) })),
    send: (target, init) => fetch(target, init),
  });
}

function requireGraphs(graphs: RuntimeOptions["graphs"]): void {
  if (Object.keys(graphs).length > 0) return;
  throw new TidemarkError(
    "no_graphs",
    "createRuntime() needs at least one graph: createRuntime({ graphs: { name: graph } }).",
  );
}

function namespaceOf(env: unknown, binding: string): ThreadNamespace {
  const bound = boundTo(env, binding);
  if (isNamespace(bound)) return bound;
  throw new TidemarkError(
    "binding_missing",
    `The Worker has no Durable Object binding "${binding}". Add to wrangler.toml: [[durable_objects.bindings]] name = "${binding}", class_name = "Thread".`,
  );
}

function threadCalls(binding: string): (env: unknown) => CallThread {
  return (env) =>
    ({ tenant, threadId }, call) =>
      callThread(namespaceOf(env, binding), objectName(tenant, threadId), call);
}

/** Finds the directory of each tenant, when directories are bound. */
function directoriesIn(
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
function reported(report: (error: unknown) => void): (cause: unknown) => StorageError {
  return (cause) => {
    report(cause);
    return new StorageError("directory_unavailable", "The directory did not answer. Ask again.", { cause });
  };
}

function isDirectoryNamespace(bound: unknown): bound is { getByName(name: string): DirectoryApi } {
  return typeof bound === "object" && bound !== null && "getByName" in bound;
}

function limiterOf(env: unknown, binding: string): RateLimiter | undefined {
  const bound = boundTo(env, binding);
  return isLimiter(bound) ? bound : undefined;
}

function isLimiter(bound: unknown): bound is RateLimiter {
  return typeof bound === "object" && bound !== null && "limit" in bound;
}

function isNamespace(bound: unknown): bound is ThreadNamespace {
  return typeof bound === "object" && bound !== null && "getByName" in bound;
}

function toConsole(error: unknown): void {
  console.error(error);
}
