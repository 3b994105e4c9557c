import { BRANCH_TO, ROOT } from "../pregel/constants.ts";
import type { EngineNode } from "../pregel/types.ts";
import type { Branch } from "./branch.ts";
import type { NodeDefinition } from "./node.ts";
import type { NodeDefaults } from "./node-policies.ts";
import type { StandardSchema } from "./schema/standard-schema.ts";
import type { StateKeys } from "./schema/state-keys.ts";

/** What a builder has collected. */
export interface GraphDefinition {
  readonly schema: GraphSchema;
  readonly nodes: ReadonlyMap<string, NodeDefinition>;
  readonly edges: readonly Edge[];
  readonly branches: readonly Branch[];
  readonly defaults: NodeDefaults;
  /** What nodes find as `config.interrupt`, where that is not the function. */
  readonly interrupt?: unknown;
}

/** What the definitions of a graph's state, input, output and context come to. */
export interface GraphSchema {
  /** Of all the definitions, those of nodes too. */
  readonly keys: StateKeys;
  /** Those of `keys`. */
  readonly allKeys: string | readonly string[];
  /** What streams and conditional edges show. */
  readonly shownKeys: string | readonly string[];
  /** What nodes read that say nothing else. */
  readonly stateKeys: string | readonly string[];
  readonly input: StateKeys;
  readonly outputKeys: string | readonly string[];
  readonly context: StandardSchema | undefined;
}

/** `target` runs when all of `sources` have. */
export interface Edge {
  readonly sources: readonly string[];
  readonly target: string;
}

/** What a node reads. Where the state is one value, it is given that, and does not run as long as there is none. */
export function channelsRead(
  schema: GraphSchema,
  { input }: { readonly input?: StateKeys | undefined },
): Pick<EngineNode, "channels" | "requires"> {
  const channels = input === undefined ? schema.stateKeys : asChannels([...input.keys()]);
  return typeof channels === "string" ? { channels, requires: [channels] } : { channels };
}

/** Whether the state is one value, instead of an object of keys. */
export function isOneValue(schema: Pick<GraphSchema, "keys">): boolean {
  return schema.keys.has(ROOT);
}

/** What the engine reads for these keys: the value alone, where the state is one value. */
export function asChannels(keys: readonly string[]): string | readonly string[] {
  return keys.length === 1 && keys[0] === ROOT ? ROOT : keys;
}

/** The channel that asks a node to run. */
export function branchChannel(node: string): string {
  return `${BRANCH_TO}${node}`;
}

/** The channel that waits for all sources of an edge. */
export function joinChannel(edge: Edge): string {
  return `join:${edge.sources.join("+")}:${edge.target}`;
}

/** The edges by each of their sources. */
export function edgesBySource(edges: readonly Edge[]): ReadonlyMap<string, readonly Edge[]> {
  const result = new Map<string, Edge[]>();
  for (const edge of edges) {
    for (const source of edge.sources) {
      const known = result.get(source);
      if (known === undefined) result.set(source, [edge]);
      else known.push(edge);
    }
  }
  return result;
}
