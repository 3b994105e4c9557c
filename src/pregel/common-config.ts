import { isObject } from "../values/containers.ts";
import type { RunContext } from "./run-context.ts";
import type { NodeConfig, RunnableConfig, ServerInfo } from "./types.ts";

/** What the configs of all tasks of a run have in common. */
export interface CommonConfig {
  readonly config: Omit<RunnableConfig, "runId"> & Pick<NodeConfig, "recursionLimit" | "tags">;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export function commonConfig(run: RunContext): CommonConfig {
  // Those of the run: what a node calls is not that run.
  const {
    runId: _id,
    runName: _name,
    ...given
  }: RunnableConfig & { readonly runName?: unknown } = run.config;
  return {
    config: {
      ...given,
      recursionLimit: run.recursionLimit,
      tags: given.tags ?? NO_TAGS,
      ...(run.store === undefined ? {} : { store: run.store }),
      ...serverInfo(run.config),
    },
    metadata: { ...identityOf(run.config), ...run.config.metadata },
  };
}

/** What is configured of whose run it is: tracing wants to know. */
function identityOf({ configurable }: RunnableConfig): Record<string, unknown> {
  const identity: Record<string, unknown> = {};
  for (const key of IDENTITY) if (configurable?.[key] !== undefined) identity[key] = configurable[key];
  return identity;
}

const NO_TAGS: readonly string[] = [];

const IDENTITY = ["thread_id", "assistant_id", "graph_id"] as const;

/** What a server that runs the graph says of it, in the config of the run. */
function serverInfo({ configurable, metadata }: RunnableConfig): { readonly serverInfo?: ServerInfo } {
  const named = (key: string): string | undefined => textOf(configurable?.[key]) ?? textOf(metadata?.[key]);
  const assistantId = named("assistant_id");
  const graphId = named("graph_id");
  const user = configurable?.["langgraph_auth_user"];
  if (assistantId === undefined && graphId === undefined && !isUser(user)) return {};
  const server = { assistantId: assistantId ?? "", graphId: graphId ?? "" };
  return { serverInfo: isUser(user) ? { ...server, user } : server };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isUser(user: unknown): user is NonNullable<ServerInfo["user"]> {
  return isObject(user) && "identity" in user && typeof user.identity === "string";
}
