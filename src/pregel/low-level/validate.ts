import { GraphValidationError } from "../../errors.ts";
import { INTERRUPT, TASKS } from "../constants.ts";
import type { HandMadeGraph } from "./hand-made.ts";
import { isPregelNode } from "./pregel-node.ts";

/** Throws a `GraphValidationError` for nodes and channels that do not fit together. */
export function validateParts(made: Partial<HandMadeGraph>): asserts made is HandMadeGraph {
  const { nodes, channels, inputChannels, outputChannels, streamChannels } = made;
  if (nodes === undefined) throw new GraphValidationError("Nodes not provided");
  if (channels === undefined) throw new GraphValidationError("Channels not provided");
  if (inputChannels === undefined) throw new GraphValidationError("Input channels not provided");
  if (outputChannels === undefined) throw new GraphValidationError("Output channels not provided");
  if (Object.hasOwn(channels, TASKS) && channels[TASKS]?.lc_graph_name !== "Topic")
    throw new GraphValidationError(`Channel '${TASKS}' is reserved and cannot be used in the graph.`);
  const triggers = triggersOf(nodes);
  for (const channel of triggers) {
    if (!Object.hasOwn(channels, channel) && channel !== TASKS)
      throw new GraphValidationError(`Subscribed channel '${channel}' not in channels`, {
        details: { channel },
      });
  }
  const inputs = [inputChannels].flat();
  if (!inputs.some((channel) => triggers.has(channel))) {
    throw new GraphValidationError(
      typeof inputChannels === "string"
        ? `Input channel ${inputChannels} is not subscribed to by any node`
        : `None of the input channels ${inputs.join(",")} are subscribed to by any node`,
    );
  }
  for (const channel of [outputChannels, streamChannels ?? []].flat()) {
    if (!Object.hasOwn(channels, channel) && channel !== TASKS)
      throw new GraphValidationError(`Output channel '${channel}' not in channels`, { details: { channel } });
  }
}

function triggersOf(nodes: HandMadeGraph["nodes"]): ReadonlySet<string> {
  const triggers = new Set<string>();
  for (const [name, node] of Object.entries(nodes)) {
    if (name === INTERRUPT) throw new GraphValidationError(`"Node name ${INTERRUPT} is reserved"`);
    if (!isPregelNode(node))
      throw new GraphValidationError(`Invalid node type ${typeof node}, expected PregelNode`, {
        details: { node: name },
      });
    for (const trigger of node.triggers) triggers.add(trigger);
  }
  return triggers;
}
