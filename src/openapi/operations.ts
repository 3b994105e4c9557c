import type { Operation, Operations, Route } from "./operation.ts";
import { assistantOperations } from "./operations/assistants.ts";
import { cronOperations } from "./operations/crons.ts";
import { protocolOperations } from "./operations/protocol.ts";
import { runOperations } from "./operations/runs.ts";
import { serverOperations } from "./operations/server.ts";
import { signedOperations } from "./operations/signed.ts";
import { stateOperations } from "./operations/states.ts";
import { storeOperations } from "./operations/store.ts";
import { tenantOperations } from "./operations/tenants.ts";
import { threadOperations } from "./operations/threads.ts";

/** What there is to say of every route: one that is missing here is an error of the types. */
export const OPERATIONS: Readonly<Record<Route, Operation>> = {
  ...threadOperations,
  ...runOperations,
  ...stateOperations,
  ...protocolOperations,
  ...cronOperations,
  ...assistantOperations,
  ...storeOperations,
  ...signedOperations,
  ...tenantOperations,
  ...serverOperations,
};

export interface Tag {
  readonly name: string;
  readonly description: string;
}

interface Group extends Tag {
  readonly operations: Operations;
}

const GROUPS: readonly Group[] = [
  {
    name: "threads",
    description: "Conversations: made, found, copied, moved and removed.",
    operations: threadOperations,
  },
  { name: "runs", description: "Executions of graphs on threads.", operations: runOperations },
  { name: "states", description: "What threads have, now and before.", operations: stateOperations },
  {
    name: "thread protocol",
    description: "LangGraph's second protocol: commands, and the events of all runs of a thread.",
    operations: protocolOperations,
  },
  { name: "crons", description: "Runs that come by the clock.", operations: cronOperations },
  { name: "assistants", description: "Graphs with a configuration.", operations: assistantOperations },
  { name: "store", description: "What graphs remember across threads.", operations: storeOperations },
  {
    name: "links and webhooks",
    description: "What proves by a signature that it may.",
    operations: signedOperations,
  },
  {
    name: "tenants",
    description: "All that a tenant has, and what is known of it.",
    operations: tenantOperations,
  },
  { name: "server", description: "What the server says of itself.", operations: serverOperations },
];

const TAGS: ReadonlyMap<string, Tag> = new Map(
  GROUPS.flatMap(({ operations, ...tag }) => Object.keys(operations).map((route) => [route, tag] as const)),
);

export function tagOf(route: string): Tag | undefined {
  return TAGS.get(route);
}
