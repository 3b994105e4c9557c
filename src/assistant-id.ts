import { uuid5 } from "./uuid5.ts";

/** LangGraph's own, from which the id of a graph's assistant follows: clients know these ids. */
const NAMESPACE = "6ba7b821-9dad-11d1-80b4-00c04fd430c8";

/** The id of the assistant that the graph has by itself. */
export function assistantIdOf(graphId: string): string {
  return uuid5(graphId, NAMESPACE);
}
