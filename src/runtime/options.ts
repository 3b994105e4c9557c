import type { StoreIndexOptions } from "../directory/store-index.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { DirectoryClass } from "../directory/durable-directory.ts";
import type { DeliveryOptions, HookOptions } from "../hooks/hook-options.ts";
import type { Authenticate } from "../http/auth/principal.ts";
import type { Documentation } from "../http/server/documentation-routes.ts";
import type { EventSchemas } from "../http/events/inbound-event-schemas.ts";
import type { WebhookSource } from "../http/webhooks/source.ts";
import type { LogOptions, Report } from "../log.ts";
import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import type { ThreadClass } from "../thread/durable-thread.ts";
import type { EventOptions } from "../thread/events/event-options.ts";
import type { Retention } from "../thread/life-cycle/retention.ts";
import type { OpenTraces } from "../thread/attempt/traces.ts";
import type { NextTime } from "../thread/crons/schedules.ts";
import type { PlacementOptions } from "./placement.ts";

/** What a Worker is made of. */
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
  /**
   * Makes the store searchable by what items mean.
   *
   * @example
   * store: { dims: 384, embed: async (texts, env) => (await env.AI.run("@cf/baai/bge-small-en-v1.5", { text: texts })).data }
   */
  readonly store?: Omit<StoreIndexOptions, "embed"> & {
    /** Turns texts into vectors, one for each. */
    readonly embed: (
      texts: readonly string[],
      env: Cloudflare.Env,
    ) => Promise<readonly (readonly number[])[]>;
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
  /** What is answered as the reference server of LangGraph's platform does, for clients that take nothing else. */
  readonly compatibility?: CompatibilityOptions;
  /** What is noted of requests, runs, deliveries and alarms, and where. */
  readonly log?: LogOptions;
  /** Who gets to see what runs do: `otlp()` of `tidemark/otlp`. Nobody by default. */
  readonly traces?: OpenTraces;
  /** Where objects are made, and what they may not leave. */
  readonly placement?: PlacementOptions;
  /** Takes errors that nobody expected, and says where they were; by default they are noted in the log. */
  readonly report?: Report;
  /** Serves `/openapi.json`, and `/docs` that shows it: `openapi()` of `tidemark/openapi`. Without it there is neither. */
  readonly openapi?: Documentation;
}

export interface CompatibilityOptions {
  /** "text": an error is its text alone, in the reference server's words; "json" by default. */
  readonly errors?: "json" | "text";
  /** Whether streams on the platform's paths end with the event `end`; true by default. */
  readonly endEvent?: boolean;
  /** What becomes of an input without any key of the state on the platform's paths; "refuse" by default. */
  readonly unknownInput?: "refuse" | "ignore";
}

export interface Runtime {
  fetch(request: Request, env: object, ctx: ExecutionContext): Response | Promise<Response>;
  /** The class that wrangler.toml binds; export it from the Worker. */
  readonly Thread: ThreadClass;
  /** As `Thread`. */
  readonly Directory: DirectoryClass;
}
