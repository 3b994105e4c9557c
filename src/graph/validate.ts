import { GraphValidationError, UnreachableNodeError } from "../graph-errors.ts";
import type { BreakpointNodes } from "../pregel/breakpoints.ts";
import { END, ROOT, START } from "../pregel/constants.ts";
import { isOneValue, type GraphDefinition } from "./definition.ts";
import { errorHandlers, handlerOf } from "./policies.ts";

/** Refuses names that are reserved, taken, or those of a key of the state. */
export function checkNodeName(
  name: string,
  nodes: ReadonlyMap<string, unknown>,
  keys: ReadonlyMap<string, unknown>,
): void {
  const refuse = (problem: string): never => {
    throw new GraphValidationError(problem, { details: { node: name } });
  };
  if (name === START || name === END)
    refuse(`A node cannot be called "${name}", which stands for an end of the graph. Use another name.`);
  for (const character of ["|", ":"]) {
    if (name.includes(character))
      refuse(
        `The node name "${name}" has a "${character}", which separates the names in a namespace. Leave it out.`,
      );
  }
  if (nodes.has(name)) refuse(`The graph has a node "${name}" already. Give one of the two another name.`);
  if (keys.has(name)) {
    refuse(`"${name}" is a key of the state, so that a node cannot be called so too. Rename one of them.`);
  }
}

/** Refuses edges whose ends are no nodes, and nodes that no path leads to. */
export function validateGraph(graph: GraphDefinition): void {
  checkKeys(graph);
  checkSources(graph);
  const targets = targetsOf(graph);
  for (const target of targets) {
    if (target !== END && !graph.nodes.has(target)) {
      throw new GraphValidationError(
        `An edge leads to "${target}", but there is no such node. Add it, or correct the name.`,
        {
          details: { node: target },
        },
      );
    }
  }
  for (const name of graph.nodes.keys()) {
    if (!targets.has(name)) throw new UnreachableNodeError(name);
  }
  for (const name of errorHandlers(graph).keys()) {
    if (!graph.nodes.has(name)) continue;
    throw new GraphValidationError(`Node \`${name}\` has the name of an error handler.`, {
      details: { node: name },
    });
  }
}

/** Refuses breakpoints at nodes that the graph does not have. */
export function validateBreakpoints(
  graph: GraphDefinition,
  ...lists: readonly (BreakpointNodes | undefined)[]
): void {
  const handlers = errorHandlers(graph);
  for (const name of lists.flatMap((nodes) => (nodes === undefined || nodes === "*" ? [] : nodes))) {
    if (graph.nodes.has(name) || handlers.has(name)) continue;
    throw new GraphValidationError(
      `There is no node "${name}" to stop at. Correct interruptBefore or interruptAfter.`,
      { details: { node: name } },
    );
  }
}

function checkKeys({ schema }: GraphDefinition): void {
  if (!isOneValue(schema) || schema.keys.size === 1) return;
  throw new GraphValidationError(
    `The state has a key "${ROOT}", which stands for the state as a whole, beside others. Leave it out, or make it the only one.`,
    { details: { channel: ROOT } },
  );
}

function checkSources(graph: GraphDefinition): void {
  const sources = [
    ...graph.edges.flatMap((edge) => edge.sources),
    ...graph.branches.map((branch) => branch.source),
  ];
  const unknown = sources.find((source) => source !== START && !graph.nodes.has(source));
  if (unknown !== undefined) {
    throw new GraphValidationError(
      `An edge begins at "${unknown}", but there is no such node. Add it, or correct the name.`,
      {
        details: { node: unknown },
      },
    );
  }
  if (!sources.includes(START)) {
    throw new GraphValidationError(
      "The graph has no entry point: add an edge from START to the node that runs first.",
      { details: { node: START }, lcErrorCode: "UNREACHABLE_NODE" },
    );
  }
}

function targetsOf(graph: GraphDefinition): Set<string> {
  const targets = new Set(graph.edges.map((edge) => edge.target));
  for (const branch of graph.branches) {
    // Without a map the path may name any node.
    for (const name of branch.pathMap?.values() ?? graph.nodes.keys()) targets.add(name);
  }
  for (const node of graph.nodes.values()) {
    // The Commands of an error handler may go anywhere.
    const ends = handlerOf(graph, node) === undefined ? node.options.ends : graph.nodes.keys();
    for (const name of ends ?? []) targets.add(name);
  }
  return targets;
}
