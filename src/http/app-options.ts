import type { ReauthenticationOptions } from "./auth/reauthentication.ts";
import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { DirectoryApi } from "../directory/protocol.ts";
import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import type { EventSchemas } from "./events/inbound-event-schemas.ts";
import type { Log, Report } from "../log.ts";
import type { ThreadCaller, ThreadNamespace } from "./thread-stub.ts";
import type { ThreadApi } from "../thread/protocol.ts";
import type { WebhookSource } from "./webhooks/source.ts";
import type { DocumentationRouteOptions } from "./server/documentation-routes.ts";
import type { HookKey } from "../hooks/hook-keys.ts";

/** What the routes are given by the runtime. */
export interface AppOptions extends ReauthenticationOptions, DocumentationRouteOptions {
  /** Finds the thread objects among the Worker's bindings. */
  readonly threads: (env: unknown, caller: ThreadCaller) => ThreadNamespace;
  /** Makes stubs of a thread's object by the object's own id. Refuses what is none. */
  readonly threadById: (env: unknown) => (objectId: string) => () => ThreadApi;
  /** By name. */
  readonly graphs: Readonly<Record<string, RunnableGraph>>;
  /** Finds the directory of each tenant, when directories are bound. */
  readonly directories: (env: unknown) => ((tenant: string) => DirectoryApi) | undefined;
  /** The store that is kept in a directory. */
  readonly store: (env: unknown, directory: DirectoryApi) => BaseStore;
  /** The paths of values that directories know. */
  readonly extract: readonly string[];
  /** The origins of pages that may use the server, besides those on localhost. */
  readonly origins: readonly string[];
  /** In bytes. */
  readonly maxBodySize: number;
  /** How often a stream gets a comment, in milliseconds. */
  readonly heartbeat: number;
  /** What the payloads of events have to be, by key. */
  readonly eventSchemas?: EventSchemas;
  /** What links are signed with; undefined: there are none. */
  readonly hookKeys: (env: unknown) => readonly HookKey[] | undefined;
  /** Who may send events by webhooks, by the name in the path. */
  readonly webhooks?: Readonly<Record<string, WebhookSource>>;
  /** Whether errors are text. */
  readonly hasPlainErrors?: boolean;
  /** Whether an input without a key of the state counts as an empty one on the platform's paths. */
  readonly takesUnknownInput?: boolean;
  /** Whether schedules can be read. */
  readonly hasCrons?: boolean;
  readonly log: Log;
  /** Takes what nobody expected. */
  readonly report: Report;
}
