import type { BaseChannel } from "../channels/base.ts";
import { Topic } from "../channels/topic.ts";
import { TASKS } from "./constants.ts";
import type { EngineNode, PregelGraph } from "./types.ts";

/** What a graph is made of, before the engine has added its own. */
export type GraphParts = Omit<PregelGraph, "triggerToNodes">;

/** The one way in which graphs are made, whatever they were written with: adds the channel of Sends, and who starts whom. */
export function assembleGraph(parts: GraphParts): PregelGraph {
  return {
    ...parts,
    channels: new Map<string, BaseChannel>([...parts.channels, [TASKS, new Topic()]]),
    triggerToNodes: triggersOf(parts.nodes),
  };
}

function triggersOf(nodes: ReadonlyMap<string, EngineNode>): ReadonlyMap<string, readonly string[]> {
  const result = new Map<string, string[]>();
  for (const name of [...nodes.keys()].toSorted()) {
    for (const trigger of new Set(nodes.get(name)?.triggers)) {
      const started = result.get(trigger);
      if (started === undefined) result.set(trigger, [name]);
      else started.push(name);
    }
  }
  // A Send starts its node in the next superstep: its channel counts as a trigger too.
  result.set(TASKS, []);
  return result;
}
