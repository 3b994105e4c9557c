import { AnyValue } from "../channels/any-value.ts";
import type { BaseChannel } from "../channels/base.ts";
import { Topic } from "../channels/topic.ts";
import type { Checkpoint } from "../checkpoint/types.ts";
import { BRANCH_TO, START, TASKS } from "./constants.ts";
import type { PregelGraph } from "./types.ts";

/**
 * Stands in for a graph that is not there any more, so that its threads can still be read: it has the checkpoint's own
 * keys, and no nodes.
 */
export function unknownGraph(name: string, checkpoint: Checkpoint): PregelGraph {
  const keys = Object.keys(checkpoint.channel_values).filter((key) => !isInternal(key));
  const channels = new Map<string, BaseChannel>(keys.map((key) => [key, new AnyValue()]));
  channels.set(TASKS, new Topic());
  return {
    name,
    nodes: new Map(),
    channels,
    inputChannels: START,
    outputChannels: keys,
    checkInput: () => undefined,
    triggerToNodes: new Map(),
  };
}

function isInternal(channel: string): boolean {
  return channel.startsWith("__") || channel.startsWith(BRANCH_TO) || channel.startsWith("join:");
}
