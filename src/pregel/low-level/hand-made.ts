import { isObject } from "../../values/containers.ts";
import type { MaybePromise, PendingWrite } from "../../checkpoint/types.ts";
import { assembleGraph } from "../assemble.ts";
import { TAG_HIDDEN, TASKS } from "../constants.ts";
import { checkedCache } from "../cache-policy.ts";
import { checkedRetry, type RetryPolicy } from "../retry.ts";
import { callOf, type RunnableLike } from "../runnable.ts";
import { timeoutPolicyOf } from "../timeout.ts";
import type { EngineNode, NodeConfig, PregelGraph, Subgraph } from "../types.ts";
import type { ChannelWrite } from "./channel-write.ts";
import { isList, type PregelNode } from "./pregel-node.ts";
import { Sequence } from "./sequence.ts";
import type { HandMadeParts } from "./hand-made-parts.ts";
import { validateParts } from "./validate.ts";

export function handMadeGraph(made: HandMadeParts): PregelGraph {
  validateParts(made);
  const nodes = Object.entries(made.nodes).map(([name, node]): [string, EngineNode] => [
    name,
    engineNode(name, node, made.retryPolicy),
  ]);
  return assembleGraph({
    name: made.name ?? "LangGraph",
    nodes: new Map(nodes),
    channels: new Map(Object.entries(made.channels)),
    inputChannels: made.inputChannels,
    outputChannels: made.outputChannels,
    streamChannels: made.streamChannels ?? [...new Set([...Object.keys(made.channels), TASKS])],
    checkInput: () => undefined,
  });
}

function engineNode(name: string, node: PregelNode, graphRetry: RetryPolicy | undefined): EngineNode {
  const { cachePolicy, ends, errorHandlerNode, retryPolicy = graphRetry } = node.args;
  const timeout = timeoutPolicyOf(node.args.timeout, name);
  const subgraphs = node.args.subgraphs ?? subgraphsIn(node.bound);
  return {
    name,
    triggers: node.triggers,
    ...readsOf(node),
    hidden: node.tags.includes(TAG_HIDDEN),
    run: callOf(node.bound) ?? ((input) => input),
    isSilent: node.writers.length === 0,
    write: (output, { config }) => writesOf(node.writers, output, config),
    metadata: node.metadata,
    ...(subgraphs.length > 0 ? { subgraphs } : {}),
    ...(retryPolicy === undefined ? {} : { retryPolicy: checkedRetry(retryPolicy, name) }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(cachePolicy === undefined ? {} : { cachePolicy: checkedCache(cachePolicy, name) }),
    ...(errorHandlerNode === undefined ? {} : { errorHandlerNode }),
    ...(ends === undefined ? {} : { ends }),
  };
}

/** In the engine's terms: a list of channels is read as a record by channel. */
function readsOf({
  channels,
  triggers,
  args,
}: PregelNode): Pick<EngineNode, "channels" | "requires" | "mapper"> {
  // The author of the node says what it reads.
  const mapper = (args.mapper ?? ((read: unknown) => read)) as (read: unknown) => unknown;
  if (!isList(channels)) {
    const names = Object.values(channels);
    const renamed = (read: Readonly<Record<string, unknown>>): unknown =>
      Object.fromEntries(
        Object.entries(channels)
          .filter(([, channel]) => Object.hasOwn(read, channel))
          .map(([key, channel]) => [key, read[channel]]),
      );
    return {
      channels: names,
      requires: names.filter((channel) => triggers.includes(channel)),
      mapper: (read) => mapper(renamed(Object(read))),
    };
  }
  const [only, ...others] = channels;
  if (only !== undefined && others.length === 0) return { channels: only, requires: [only], mapper };
  const first = (read: Readonly<Record<string, unknown>>): unknown =>
    read[channels.find((channel) => Object.hasOwn(read, channel)) ?? ""];
  return { channels, mapper: (read) => mapper(first(Object(read))) };
}

function writesOf(
  writers: readonly ChannelWrite[],
  output: unknown,
  config: NodeConfig,
): MaybePromise<readonly PendingWrite[]> {
  const parts = writers.map((writer) => writer.writesOf(output, config));
  return areSettled(parts)
    ? parts.flat()
    : Promise.all(parts.map(async (part) => part)).then((all) => all.flat());
}

function areSettled<T>(parts: readonly MaybePromise<T>[]): parts is readonly T[] {
  return !parts.some((part) => part instanceof Promise);
}

function subgraphsIn(bound: RunnableLike | undefined): readonly Subgraph[] {
  const steps: readonly unknown[] = bound instanceof Sequence ? bound.steps : [bound];
  return steps.filter(isSubgraph);
}

function isSubgraph(step: unknown): step is Subgraph {
  return isObject(step) && "lg_is_pregel" in step && step.lg_is_pregel === true;
}
