import { uuid7 } from "../uuid7.ts";
import { MsgpackSerializer } from "../checkpoint/serde/msgpack-serializer.ts";
import type { BaseStore } from "../checkpoint/store/base-store.ts";
import { DirectoryStore } from "../directory/directory-store.ts";
import { createDirectoryClass } from "../directory/durable-directory.ts";
import type { DirectoryApi } from "../directory/protocol.ts";
import { TidemarkError } from "../errors.ts";
import { type Deliveries, deliveriesOf, type Links, linksOf } from "../hooks/hook-options.ts";
import type { AppOptions } from "../http/app-options.ts";
import { createApp } from "../http/app.ts";
import { createThreadClass, type ThreadConfig } from "../thread/durable-thread.ts";
import { eventOptions } from "../thread/events/event-options.ts";
import type { OutboxOptions } from "../thread/outbox/outbox-options.ts";
import { checkRetention } from "../thread/life-cycle/retention.ts";
import {
  directoriesIn,
  directoryInTime,
  limiterOf,
  reported,
  threadAsking,
  threadCalls,
  threadsById,
  threadsIn,
} from "./bindings.ts";
import { checkOptions } from "./check-options.ts";
import type { Runtime, RuntimeOptions } from "./options.ts";
import { Placement } from "./placement.ts";
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
  checkOptions(options);
  requireGraphs(options.graphs);
  checkRetention(options.retention ?? {});
  const parts = partsOf(options);
  const app = createApp(routerOptions(options, parts));
  return {
    fetch: (request, env, ctx) => app.fetch(request, env, ctx),
    Directory: createDirectoryClass({
      serde: options.serde,
      askThread: (env) => threadAsking(env, parts.bindings.thread),
      report: parts.watch.report,
    }),
    Thread: createThreadClass(threadConfig(options, parts)),
  };
}

/** What the router and the objects of threads both work with. */
function partsOf(options: RuntimeOptions) {
  const { serde, store: index, directory: { extract = [], shards = SHARDS } = {}, hooks } = options;
  const placement = new Placement(options.placement ?? {});
  const bindings = { ...BINDINGS, ...options.bindings };
  return {
    watch: watchOf(options),
    bindings,
    placement,
    directory: { binding: bindings.directory, shards, placement },
    events: eventOptions(options.events ?? {}),
    links: hooks && linksOf(hooks),
    extract,
    store: (env: unknown, of: DirectoryApi): BaseStore =>
      new DirectoryStore(
        of,
        serde?.(env as Cloudflare.Env) ?? new MsgpackSerializer(),
        index && { ...index, embed: (texts) => index.embed(texts, env as Cloudflare.Env) },
      ),
  };
}

type Parts = ReturnType<typeof partsOf>;

function routerOptions(options: RuntimeOptions, parts: Parts): AppOptions {
  const { watch, bindings, placement, directory, events, links, extract, store } = parts;
  return {
    graphs: options.graphs,
    auth: options.auth,
    origins: options.origins ?? [],
    maxBodySize: options.maxBodySize ?? MAX_BODY_SIZE,
    heartbeat: events.heartbeat,
    reauthenticate: events.reauthenticate,
    ...watch,
    eventSchemas: options.eventSchemas ?? {},
    webhooks: options.webhooks ?? {},
    hasPlainErrors: options.compatibility?.errors === "text",
    takesUnknownInput: options.compatibility?.unknownInput === "ignore",
    hasCrons: options.crons !== undefined,
    documentation: options.openapi,
    threads: (env, caller) => threadsIn(env, bindings.thread, placement)(caller),
    threadById: (env) => threadsById(env, bindings.thread),
    directories: (env) => directoriesIn(env, directory, reported(watch.report)),
    store,
    extract,
    rateLimiter: (env) => limiterOf(env, bindings.rateLimiter, options.bindings?.rateLimiter !== undefined),
    hookKeys: (env) => links?.keys(env),
  };
}

function threadConfig(options: RuntimeOptions, parts: Parts): ThreadConfig {
  const { watch, bindings, placement, directory, links, extract, store } = parts;
  const { heartbeat: _heartbeat, reauthenticate: _reauthenticate, ...events } = parts.events;
  return {
    graphs: options.graphs,
    mintId: uuid7,
    blobsBinding: (id, tenant) => placement.bucketOf(bindings.blobs, id, tenant),
    versionBinding: bindings.version,
    inlineLimit: options.inlineLimit,
    serde: options.serde,
    lease: options.lease ?? LEASE,
    retention: options.retention ?? {},
    crons: options.crons,
    callThread: threadCalls(bindings.thread, placement),
    directory: (env) => {
      // A thread sees to its own calls.
      const of = directoriesIn(env, directory, (call) => call());
      const asked = directoriesIn(env, directory, directoryInTime);
      return of && asked && { of, store: (tenant) => store(env, asked(tenant)), extract };
    },
    events: { ...events, hasEnd: options.compatibility?.endEvent ?? true },
    outbox: outboxOf(links, deliveriesOf(options.deliveries)),
    ...watch,
    traces: options.traces,
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
