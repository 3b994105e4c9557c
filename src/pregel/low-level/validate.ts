import { GraphValidationError } from "../../graph-errors.ts";
import { INTERRUPT, TASKS } from "../constants.ts";
import type { HandMadeParts } from "./hand-made-parts.ts";
import { isPregelNode } from "./pregel-node.ts";

/** Throws a `GraphValidationError` for nodes and channels that do not fit together. */
export function validateParts(made: Partial<HandMadeParts>): asserts made is HandMadeParts {
  const { nodes, channels, inputChannels, outputChannels, streamChannels } = made;
  if (nodes === undefined) throw new GraphValidationError(missing("nodes"));
  if (channels === undefined) throw new GraphValidationError(missing("channels"));
  if (inputChannels === undefined) throw new GraphValidationError(missing("inputChannels"));
  if (outputChannels === undefined) throw new GraphValidationError(missing("outputChannels"));
  if (Object.hasOwn(channels, TASKS) && channels[TASKS]?.lc_graph_name !== "Topic")
    throw new GraphValidationError(
      `The channel "${TASKS}" is the engine's: it can only be a Topic. Use another name.`,
    );
  const triggers = triggersOf(nodes);
  for (const channel of triggers) {
    if (!Object.hasOwn(channels, channel) && channel !== TASKS)
      throw new GraphValidationError(
        `A node subscribes to "${channel}", but there is no such channel. Add it, or correct the name.`,
        {
          details: { channel },
        },
      );
  }
  const inputs = [inputChannels].flat();
  if (!inputs.some((channel) => triggers.has(channel))) {
    throw new GraphValidationError(
      `No node subscribes to ${inputs.join(" or ")}: an input would start nothing. Let a node subscribe to it.`,
    );
  }
  for (const channel of [outputChannels, streamChannels ?? []].flat()) {
    if (!Object.hasOwn(channels, channel) && channel !== TASKS)
      throw new GraphValidationError(
        `The output is to be "${channel}", but there is no such channel. Add it, or correct the name.`,
        { details: { channel } },
      );
  }
}

function missing(part: string): string {
  return `The graph is made without ${part}. Pass them to Pregel.`;
}

function triggersOf(nodes: HandMadeParts["nodes"]): ReadonlySet<string> {
  const triggers = new Set<string>();
  for (const [name, node] of Object.entries(nodes)) {
    if (name === INTERRUPT)
      throw new GraphValidationError(
        `A node cannot be called "${INTERRUPT}", which the engine uses. Use another name.`,
      );
    if (!isPregelNode(node))
      throw new GraphValidationError(
        `The node "${name}" has to be a PregelNode, as Channel.subscribeTo() makes it, not ${typeof node}.`,
        {
          details: { node: name },
        },
      );
    for (const trigger of node.triggers) triggers.add(trigger);
  }
  return triggers;
}
