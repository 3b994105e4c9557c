import { DurableObject } from "cloudflare:workers";
import { CheckpointIds } from "../checkpoint/id.ts";
import type { ThreadDirectory } from "./announcer.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { TidemarkError } from "../errors.ts";
import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import { timerSleep } from "../pregel/timer-sleep.ts";
import type { CrashPoint } from "./crash-points.ts";
import type { ThreadPlatform } from "./platform.ts";
import type { EventLimits } from "./events/event-limits.ts";
import type {
  Bytes,
  CreateThread,
  EditState,
  EventReceipt,
  ImportedThread,
  PatchThread,
  PruneThread,
  ReadEvents,
  ReadHistory,
  ReadState,
  Reply,
  RunEvents,
  SendEvent,
  StartRun,
  ThreadAddress,
  ThreadApi,
} from "./protocol.ts";
import type { Retention } from "./retention.ts";
import type { CancelRun, ListRuns, NamedRun, ToldRun } from "./run-protocol.ts";
import { ThreadStorage } from "./thread-storage.ts";
import { Thread } from "./thread.ts";
import { configured, UnusableThread } from "./unusable-thread.ts";

export interface ThreadConfig {
  readonly graphs: Readonly<Record<string, RunnableGraph>>;
  /** The name of the R2 binding for large values. Without the binding they are kept in SQLite. */
  readonly blobsBinding: string;
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
  /** How long a run may be left alone before it is looked after, in milliseconds. */
  readonly lease: number;
  /** Takes what nobody expected. */
  readonly report: (error: unknown) => void;
}

/** The class of Durable Objects that serve threads: the methods are its RPC interface. */
export type ThreadClass = new (
  ctx: DurableObjectState,
  env: unknown,
) => DurableObject & ThreadApi & CrashWitness;

/** Nothing happens at a crash point; a class of a test overrides the method, to end the object there. */
interface CrashWitness {
  reached(point: CrashPoint): void;
}

class ThreadObject extends DurableObject implements ThreadApi, CrashWitness {
  readonly #thread: Thread | UnusableThread;

  constructor(ctx: DurableObjectState, env: unknown, config: ThreadConfig) {
    // The class is bound to no one's bindings: those it uses are looked up by name and checked.
    super(ctx, env as Cloudflare.Env);
    this.#thread = createThread(ctx, env, config, this);
  }

  reached(_point: CrashPoint): void {}

  invoke(start: StartRun): Promise<Reply<Bytes>> {
    return this.#thread.invoke(start);
  }

  stream(start: StartRun, after?: string): Promise<Reply<RunEvents>> {
    return this.#thread.stream(start, after);
  }

  readEvents(read: ReadEvents): Promise<Reply<RunEvents>> {
    return this.#thread.readEvents(read);
  }

  startRun(start: StartRun): Promise<Reply<ToldRun>> {
    return this.#thread.runs.startRun(start);
  }

  getRun(run: NamedRun): Promise<Reply<ToldRun>> {
    return this.#thread.runs.getRun(run);
  }

  listRuns(list: ListRuns): Promise<Reply<Bytes>> {
    return this.#thread.runs.listRuns(list);
  }

  joinRun(run: NamedRun): Promise<Reply<Bytes>> {
    return this.#thread.runs.joinRun(run);
  }

  cancelRun(cancel: CancelRun): Promise<Reply<ToldRun>> {
    return this.#thread.runs.cancelRun(cancel);
  }

  deleteRun(run: NamedRun): Promise<Reply<null>> {
    return this.#thread.runs.deleteRun(run);
  }

  getState(read: ReadState): Promise<Reply<Bytes>> {
    return this.#thread.getState(read);
  }

  getHistory(read: ReadHistory): Promise<Reply<Bytes>> {
    return this.#thread.getHistory(read);
  }

  createThread(create: CreateThread): Promise<Reply<Bytes>> {
    return this.#thread.createThread(create);
  }

  getThread(address: ThreadAddress): Promise<Reply<Bytes>> {
    return this.#thread.getThread(address);
  }

  patchThread(patch: PatchThread): Promise<Reply<Bytes>> {
    return this.#thread.patchThread(patch);
  }

  updateState(edit: EditState): Promise<Reply<Bytes>> {
    return this.#thread.updateState(edit);
  }

  sendEvent(event: SendEvent): Promise<Reply<EventReceipt>> {
    return this.#thread.sendEvent(event);
  }

  deleteThread(address: ThreadAddress): Promise<Reply<null>> {
    return this.#thread.deleteThread(address);
  }

  pruneThread(prune: PruneThread): Promise<Reply<null>> {
    return this.#thread.pruneThread(prune);
  }

  exportThread(address: ThreadAddress): Promise<Reply<Bytes>> {
    return this.#thread.exportThread(address);
  }

  importThread(address: ThreadAddress, archive: Bytes): Promise<Reply<ImportedThread>> {
    return this.#thread.importThread(address, archive);
  }

  override alarm(): Promise<void> {
    return this.#thread.alarm();
  }
}

export function createThreadClass(config: ThreadConfig): ThreadClass {
  return class extends ThreadObject {
    constructor(ctx: DurableObjectState, env: unknown) {
      super(ctx, env, config);
    }
  };
}

function createThread(
  ctx: DurableObjectState,
  env: unknown,
  config: ThreadConfig,
  witness: CrashWitness,
): Thread | UnusableThread {
  const platform: ThreadPlatform = {
    lease: config.lease,
    version: versionOf(env, config.versionBinding),
    now: systemNow,
    setAlarm: (time) => ctx.waitUntil(ctx.storage.setAlarm(time)),
    deleteAlarm: () => ctx.waitUntil(ctx.storage.deleteAlarm()),
    sync: () => ctx.storage.sync(),
    waitUntil: (work) => ctx.waitUntil(work),
    report: config.report,
    reached: (point) => witness.reached(point),
  };
  const serde = configured(() => config.serde?.(env as Cloudflare.Env));
  if (serde instanceof TidemarkError) return new UnusableThread(serde, platform);
  const storage = new ThreadStorage({
    storage: ctx.storage,
    platform,
    bucket: bucketOf(env, config.blobsBinding),
    prefix: ctx.id.toString(),
    inlineLimit: config.inlineLimit,
    serde,
    randomId: () => crypto.randomUUID(),
    report: config.report,
    yieldTurn,
  });
  return new Thread({
    storage,
    retention: config.retention,
    directory: config.directory(env),
    events: config.events,
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

function versionOf(env: unknown, binding: string): string | undefined {
  const bound: unknown = typeof env === "object" && env !== null ? Reflect.get(env, binding) : undefined;
  const id: unknown = typeof bound === "object" && bound !== null ? Reflect.get(bound, "id") : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}

function bucketOf(env: unknown, binding: string): R2Bucket | undefined {
  const bound: unknown = typeof env === "object" && env !== null ? Reflect.get(env, binding) : undefined;
  return isBucket(bound) ? bound : undefined;
}

function isBucket(bound: unknown): bound is R2Bucket {
  return typeof bound === "object" && bound !== null && "put" in bound && "createMultipartUpload" in bound;
}

function yieldTurn(): Promise<void> {
  return scheduler.wait(0);
}

function systemNow(): number {
  return Date.now();
}
