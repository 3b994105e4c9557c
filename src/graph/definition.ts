import { BRANCH_TO } from "../pregel/constants.ts";
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
  readonly allKeys: readonly string[];
  /** What streams show. */
  readonly shownKeys: readonly string[];
  /** What nodes read that say nothing else. */
  readonly stateKeys: readonly string[];
  readonly input: StateKeys;
  readonly outputKeys: readonly string[];
  readonly context: StandardSchema | undefined;
}

/** `target` runs when all of `sources` have. */
export interface Edge {
  readonly sources: readonly string[];
  readonly target: string;
}

/** What a node reads. */
export function channelsRead(schema: GraphSchema, { input }: NodeDefinition): readonly string[] {
  return input === undefined ? schema.stateKeys : [...input.keys()];
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
