import { v7 as uuid7 } from "uuid";
import { MsgpackSerializer } from "../checkpoint/serde/msgpack-serializer.ts";
import type { BaseStore } from "../checkpoint/store/base-store.ts";
import { DirectoryStore } from "../directory/directory-store.ts";
import { createDirectoryClass } from "../directory/durable-directory.ts";
import type { DirectoryApi } from "../directory/protocol.ts";
import { TidemarkError } from "../errors.ts";
import { type Deliveries, deliveriesOf, type Links, linksOf } from "../hooks/hook-options.ts";
import { createApp } from "../http/app.ts";
import { createThreadClass } from "../thread/durable-thread.ts";
import { eventOptions } from "../thread/events/event-options.ts";
import type { OutboxOptions } from "../thread/outbox/outbox-options.ts";
import { checkRetention } from "../thread/retention.ts";
import { directoriesIn, limiterOf, namespaceOf, reported, threadCalls } from "./bindings.ts";
import type { Runtime, RuntimeOptions } from "./options.ts";
import { watchOf } from "./watch.ts";

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
    compatibility: { errors: errorForm = "json", endEvent: hasEnd = true } = {},
    openapi: documentation,
  } = options;
  const watch = watchOf(options);
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
    ...watch,
    eventSchemas,
    webhooks,
    hasPlainErrors: errorForm === "text",
    hasCrons: crons !== undefined,
    documentation,
    threads: (env) => namespaceOf(env, bindings.thread),
    directories: (env) => directoriesIn(env, bindings.directory, shards, reported(watch.report)),
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
      events: { ...limits, hasEnd },
      outbox: outboxOf(links, deliveriesOf(deliveries)),
      ...watch,
      traces: options.traces,
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
