import { assistantIdOf } from "../assistant-id.ts";
import type { JsonObject } from "../directory/protocol.ts";
import { MAX_METADATA, requireMetadataSize } from "../metadata-limits.ts";

/** The id of the assistant that a caller has named, or of the graph's own. */
export function assistantOf(graph: string, named?: string): string {
  return named === undefined || named === graph ? assistantIdOf(graph) : named;
}

/** What the thread itself says in its metadata, once it is bound to a graph. Nobody else can. */
export function boundMetadata(metadata: JsonObject, graph: string, assistant?: string): JsonObject {
  return { ...metadata, graph_id: graph, assistant_id: assistantOf(graph, assistant) };
}

/** With these keys in the place of those that are there. Refuses what would be too large. */
export function patchedMetadata(metadata: JsonObject, patch: JsonObject, graph: string): JsonObject {
  if (graph === "") {
    const patched = { ...metadata, ...patch };
    requireMetadataSize(patched, MAX_METADATA);
    return patched;
  }
  const { graph_id: _graph, assistant_id: _assistant, ...others } = { ...metadata, ...patch };
  requireMetadataSize(others, MAX_METADATA);
  const { graph_id = graph, assistant_id = assistantIdOf(graph) } = metadata;
  return { ...others, graph_id, assistant_id };
}
