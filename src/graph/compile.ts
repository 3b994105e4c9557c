import type { BaseChannel } from "../channels/base.ts";
import { EphemeralValue } from "../channels/ephemeral-value.ts";
import { NamedBarrierValue } from "../channels/named-barrier-value.ts";
import { Topic } from "../channels/topic.ts";
import { InvalidArgumentError } from "../errors.ts";
import { END, START, TASKS } from "../pregel/constants.ts";
import type { PregelGraph, PregelNode } from "../pregel/types.ts";
import { branchChannel, edgesBySource, joinChannel, type Edge, type GraphDefinition } from "./definition.ts";
import { nodeWriter } from "./node-writer.ts";

/**
 * Wires a definition into channels and nodes. A node is started by its channel `branch:to:<node>`, or by a join of
 * several nodes; what its output and its edges mean is written by its one writer.
 */
export function compileGraph(definition: GraphDefinition, name: string): PregelGraph {
  const joins = definition.edges.filter((edge) => edge.sources.length > 1);
  const outgoing = edgesBySource(definition.edges);
  const writerOf = (node: string): PregelNode["write"] =>
    nodeWriter(definition, node, outgoing.get(node) ?? []);
  const nodes = new Map<string, PregelNode>([[START, startNode(writerOf(START))]]);
  const stateKeys = Object.keys(definition.state);
  for (const node of definition.nodes.values()) {
    const joined = joins.filter((edge) => edge.target === node.name).map(joinChannel);
    nodes.set(node.name, {
      name: node.name,
      triggers: [branchChannel(node.name), ...joined],
      channels: stateKeys,
      hidden: false,
      subgraphs: node.subgraphs,
      run: node.call,
      write: writerOf(node.name),
    });
  }
  return {
    name,
    nodes,
    channels: channelsOf(definition, joins),
    inputChannel: START,
    outputChannels: stateKeys,
    checkInput: (value) => checkInput(value, stateKeys),
    triggerToNodes: triggersOf(nodes),
  };
}

function startNode(write: PregelNode["write"]): PregelNode {
  return {
    name: START,
    triggers: [START],
    channels: START,
    hidden: true,
    run: (input) => input,
    write,
  };
}

function channelsOf(definition: GraphDefinition, joins: readonly Edge[]): ReadonlyMap<string, BaseChannel> {
  const channels = new Map<string, BaseChannel>(Object.entries(definition.state));
  channels.set(START, new EphemeralValue());
  channels.set(TASKS, new Topic());
  for (const name of definition.nodes.keys()) channels.set(branchChannel(name), new EphemeralValue(false));
  for (const edge of joins) {
    if (edge.target !== END) channels.set(joinChannel(edge), new NamedBarrierValue(new Set(edge.sources)));
  }
  return channels;
}

function triggersOf(nodes: ReadonlyMap<string, PregelNode>): ReadonlyMap<string, readonly string[]> {
  const result = new Map<string, string[]>();
  for (const name of [...nodes.keys()].toSorted()) {
    for (const trigger of nodes.get(name)?.triggers ?? []) {
      const started = result.get(trigger);
      if (started === undefined) result.set(trigger, [name]);
      else started.push(name);
    }
  }
  // A Send starts its node in the next superstep: its channel counts as a trigger too.
  result.set(TASKS, []);
  return result;
}

function checkInput(value: unknown, keys: readonly string[]): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const kind = value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
    throw new InvalidArgumentError(
      "invalid_input",
      `The input must be an object with keys of the state, not ${kind}.`,
    );
  }
  const given = Object.keys(value);
  if (given.length === 0 || given.some((key) => keys.includes(key))) return;
  throw new InvalidArgumentError(
    "invalid_input",
    `The input has no key of the state: it has ${given.join(", ")}; the state has ${keys.join(", ")}.`,
    { details: { keys } },
  );
}
