import { assistantIdOf } from "../assistant-id.ts";
import { contains } from "../values/contains.ts";
import type { Assistant, AssistantFilter, AssistantOrder } from "./protocol.ts";

/** The assistant that every graph has by itself: the graph as it is. */
export function assistantOf(graphId: string): Assistant {
  return {
    assistantId: assistantIdOf(graphId),
    graphId,
    config: {},
    context: {},
    metadata: { created_by: "system" },
    name: graphId,
    description: null,
    version: 1,
    createdAt: 0,
    updatedAt: 0,
  };
}

export function isWanted(assistant: Assistant, { graphId, name, metadata = {} }: AssistantFilter): boolean {
  return (
    (graphId === undefined || assistant.graphId === graphId) &&
    (name === undefined || assistant.name.toLowerCase().includes(name.toLowerCase())) &&
    contains(assistant.metadata, metadata)
  );
}

export function compareAssistants({
  by,
  descending,
}: AssistantOrder): (a: Assistant, b: Assistant) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => sign * (compare(a[by], b[by]) || compare(a.assistantId, b.assistantId));
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
