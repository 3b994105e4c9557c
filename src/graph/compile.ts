import type { BaseChannel } from "../channels/base.ts";
import { EphemeralValue } from "../channels/ephemeral-value.ts";
import { LastValueAfterFinish } from "../channels/last-value-after-finish.ts";
import { NamedBarrierValueAfterFinish } from "../channels/named-barrier-value-after-finish.ts";
import { NamedBarrierValue } from "../channels/named-barrier-value.ts";
import { assembleGraph } from "../pregel/assemble.ts";
import { END, START } from "../pregel/constants.ts";
import type { PregelGraph, EngineNode } from "../pregel/types.ts";
import {
  branchChannel,
  channelsRead,
  edgesBySource,
  joinChannel,
  type Edge,
  type GraphDefinition,
} from "./definition.ts";
import { checkInput, checkUpdate, graphSchemas } from "./graph-schemas.ts";
import type { NodeDefinition } from "./node.ts";
import { nodeWriter } from "./node-writer.ts";
import { errorHandlers, policiesOf } from "./policies.ts";

/**
 * Wires a definition into channels and nodes. A node is started by its channel `branch:to:<node>`, or by a join of
 * several nodes; what its output and its edges mean is written by its one writer.
 */
export function compileGraph(definition: GraphDefinition, name: string): PregelGraph {
  const { schema } = definition;
  const joins = definition.edges.filter((edge) => edge.sources.length > 1);
  const outgoing = edgesBySource(definition.edges);
  const writerOf = (node: string): EngineNode["write"] =>
    nodeWriter(definition, node, outgoing.get(node) ?? []);
  const nodes = new Map<string, EngineNode>([[START, startNode(writerOf(START))]]);
  for (const node of definition.nodes.values()) {
    const joined = joins.filter((edge) => edge.target === node.name).map(joinChannel);
    nodes.set(node.name, {
      name: node.name,
      triggers: [branchChannel(node.name), ...joined],
      ...channelsRead(schema, node),
      hidden: false,
      subgraphs: node.subgraphs,
      run: node.call,
      write: writerOf(node.name),
      ...policiesOf(definition, node),
      ...descriptionOf(node),
    });
  }
  for (const [handler, node] of errorHandlers(definition)) nodes.set(handler, node);
  const schemas = graphSchemas(schema);
  return assembleGraph({
    name,
    nodes,
    channels: channelsOf(definition, joins),
    inputChannels: START,
    outputChannels: schema.outputKeys,
    streamChannels: schema.shownKeys,
    checkInput: (value) => checkInput(schema, value),
    checkUpdate: (keys) => checkUpdate(schema, keys),
    ...(schemas === undefined ? {} : { schemas }),
    ...(definition.interrupt === undefined ? {} : { interrupt: definition.interrupt }),
  });
}

function startNode(write: EngineNode["write"]): EngineNode {
  return {
    name: START,
    triggers: [START],
    channels: START,
    hidden: true,
    run: (input) => input,
    write,
  };
}

/** What a node says of itself that others may want to know. */
function descriptionOf({
  options: { metadata, defer, subgraphs, ends },
}: NodeDefinition): Pick<EngineNode, "metadata" | "defer" | "subgraphs" | "ends"> {
  return {
    ...(metadata === undefined ? {} : { metadata }),
    ...(defer === undefined ? {} : { defer }),
    ...(subgraphs === undefined ? {} : { subgraphs }),
    ...(ends === undefined ? {} : { ends }),
  };
}

function channelsOf(definition: GraphDefinition, joins: readonly Edge[]): ReadonlyMap<string, BaseChannel> {
  const channels = new Map<string, BaseChannel>();
  for (const [key, { channel }] of definition.schema.keys) channels.set(key, channel);
  channels.set(START, new EphemeralValue());
  const isDeferred = (node: string): boolean => definition.nodes.get(node)?.options.defer === true;
  for (const name of definition.nodes.keys()) {
    channels.set(
      branchChannel(name),
      isDeferred(name) ? new LastValueAfterFinish() : new EphemeralValue(false),
    );
  }
  for (const edge of joins) {
    if (edge.target === END) continue;
    const sources = new Set(edge.sources);
    channels.set(
      joinChannel(edge),
      isDeferred(edge.target) ? new NamedBarrierValueAfterFinish(sources) : new NamedBarrierValue(sources),
    );
  }
  return channels;
}
