import { isObject } from "../values/containers.ts";
import { CheckpointIds } from "../checkpoint/id.ts";
import type { ThreadDirectory } from "./announcing/thread-directory.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { TidemarkError } from "../errors.ts";
import type { Log, LogFields, Report } from "../log.ts";
import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import { timerSleep } from "../pregel/timer-sleep.ts";
import type { OutboxOptions } from "./outbox/outbox-options.ts";
import type { CallThread } from "./crons/cron-thread-starts.ts";
import type { ThreadPlatform } from "./platform.ts";
import type { EventLimits } from "./events/event-limits.ts";
import type { Retention } from "./life-cycle/retention.ts";
import { ThreadObject, type CrashWitness } from "./thread-object.ts";
import type { NextTime } from "./crons/schedules.ts";
import { storedTenant } from "./thread-rows.ts";
import { ThreadStorage } from "./thread-storage.ts";
import { Thread } from "./thread.ts";
import { guardedTraces } from "./attempt/guarded-traces.ts";
import type { OpenTraces } from "./attempt/traces.ts";
import { configured, UnusableThread } from "./unusable-thread.ts";
import { boundTo } from "./bound.ts";

export interface ThreadConfig {
  readonly graphs: Readonly<Record<string, RunnableGraph>>;
  /**
   * The name of the R2 binding for an object's large values. Without the binding they are kept in SQLite. `tenant`: of the
   * thread that the object has, if it has one.
   */
  readonly blobsBinding: (id: DurableObjectId, tenant: () => string | undefined) => string | undefined;
  /** The name of the binding that says which version of the code this is; without it nothing is known of deploys. */
  readonly versionBinding: string;
  /** Strings and bytes above it, in bytes, are kept apart from the rows. */
  readonly inlineLimit?: number | undefined;
  /** Makes the serializer of an object; a `MsgpackSerializer` by default. */
  readonly serde?: ((env: Cloudflare.Env) => SerializerProtocol) | undefined;
  /** Read whenever it matters. */
  readonly retention: Retention;
  /** Where threads are announced, undefined when nowhere. */
  readonly directory: (env: unknown) => ThreadDirectory | undefined;
  /** Read whenever it matters. */
  readonly events: EventLimits;
  readonly outbox: (env: unknown) => OutboxOptions;
  /** Who wants to see what runs do. */
  readonly traces: OpenTraces | undefined;
  /** Ids that sort in the order in which they were made, as those of the runs that the router starts. */
  readonly mintId: () => string;
  /** Reads the schedules of crons; absent: there are none. */
  readonly crons: NextTime | undefined;
  /** Calls other threads by their addresses. */
  readonly callThread: (env: unknown) => CallThread;
  /** How long a run may be left alone before it is looked after, in milliseconds. */
  readonly lease: number;
  readonly log: Log;
  /** Takes what nobody expected. */
  readonly report: Report;
}

/** The class of Durable Objects that serve threads. */
export type ThreadClass = new (ctx: DurableObjectState, env: unknown) => ThreadObject;

export function createThreadClass(config: ThreadConfig): ThreadClass {
  return class extends ThreadObject {
    constructor(ctx: DurableObjectState, env: unknown) {
      super(ctx, env, (witness) => createThread(ctx, env, config, witness));
    }
  };
}

function createThread(
  ctx: DurableObjectState,
  env: unknown,
  config: ThreadConfig,
  witness: CrashWitness,
): Thread | UnusableThread {
  let storage: ThreadStorage | undefined;
  const fields = (): LogFields => (storage === undefined ? {} : fieldsOf(storage));
  const platform: ThreadPlatform = {
    objectId: ctx.id.toString(),
    lease: config.lease,
    version: versionOf(env, config.versionBinding),
    now: systemNow,
    wait: (milliseconds) => scheduler.wait(milliseconds),
    setAlarm: (time) => ctx.waitUntil(ctx.storage.setAlarm(time)),
    deleteAlarm: () => ctx.waitUntil(ctx.storage.deleteAlarm()),
    sync: () => ctx.storage.sync(),
    waitUntil: (work) => ctx.waitUntil(work),
    log: config.log.within(fields),
    report: (error, more) => config.report(error, { ...fields(), ...more }),
    acceptSocket: (socket) => ctx.acceptWebSocket(socket),
    sockets: () => ctx.getWebSockets(),
    reached: (point) => witness.reached(point),
  };
  const made = configured(() => ({
    serde: config.serde?.(env as Cloudflare.Env),
    bucket: bucketOf(
      env,
      config.blobsBinding(ctx.id, () => storedTenant(ctx.storage.sql)),
    ),
  }));
  if (made instanceof TidemarkError) return new UnusableThread(made, platform);
  storage = new ThreadStorage({
    storage: ctx.storage,
    platform,
    prefix: platform.objectId,
    inlineLimit: config.inlineLimit,
    ...made,
    randomId: config.mintId,
    report: platform.report,
    yieldTurn,
  });
  return new Thread({
    storage,
    retention: config.retention,
    crons: { nextTime: config.crons, callThread: config.callThread(env) },
    directory: config.directory(env),
    events: config.events,
    outbox: config.outbox(env),
    traces: guardedTraces(() => config.traces?.(env as Cloudflare.Env, platform), platform.report),
    graphs: config.graphs,
    platform,
    environment: {
      now: systemNow,
      checkpointIds: new CheckpointIds(systemNow, (length) => crypto.getRandomValues(new Uint8Array(length))),
      yieldTurn,
      sleep: timerSleep,
      random: () => Math.random(),
    },
  });
}

/** Of an object whose rows cannot be read they say nothing: that is what is reported. */
function fieldsOf(storage: ThreadStorage): LogFields {
  try {
    const thread = storage.thread();
    return thread === undefined ? {} : { tenant: thread.tenant, thread_id: thread.thread_id };
  } catch {
    return {};
  }
}

function versionOf(env: unknown, binding: string): string | undefined {
  const bound = boundTo(env, binding);
  const id: unknown = isObject(bound) ? Reflect.get(bound, "id") : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}

function bucketOf(env: unknown, binding: string | undefined): R2Bucket | undefined {
  const bound = binding === undefined ? undefined : boundTo(env, binding);
  return isBucket(bound) ? bound : undefined;
}

function isBucket(bound: unknown): bound is R2Bucket {
  return isObject(bound) && "put" in bound && "createMultipartUpload" in bound;
}

function yieldTurn(): Promise<void> {
  return scheduler.wait(0);
}

function systemNow(): number {
  return Date.now();
}
