import type { PendingWrite } from "../checkpoint/types.ts";
import { InvalidUpdateError, ParentCommand, UnknownNodeError } from "../errors.ts";
import { Command, commandUpdates, isCommand } from "../pregel/command.ts";
import { END, TASKS } from "../pregel/constants.ts";
import { isSend, type Send } from "../pregel/send.ts";
import type { PregelNode, WriteScope } from "../pregel/types.ts";
import { routesOf, type Branch } from "./branch.ts";
import { branchChannel, joinChannel, type Edge, type GraphDefinition } from "./definition.ts";

/** Turns what a node returned into writes: of the state, and of the channels that start what comes next. */
export function nodeWriter(
  graph: GraphDefinition,
  node: string,
  edges: readonly Edge[],
): PregelNode["write"] {
  const next = edgeWrites(node, edges);
  const branches = graph.branches.filter((branch) => branch.source === node);
  return (output, scope) => {
    const writes = [...outputWrites(graph, node, output), ...next];
    return branches.length === 0 ? writes : withBranches(graph, branches, writes, scope);
  };
}

function outputWrites(graph: GraphDefinition, node: string, output: unknown): PendingWrite[] {
  if (output === undefined || output === null) return [];
  if (isCommand(output) && output.graph === Command.PARENT) {
    const { update, goto } = output;
    throw new ParentCommand(new Command(update === undefined ? { goto } : { update, goto }));
  }
  if (isCommand(output))
    return [...stateWrites(graph, commandUpdates(output)), ...gotoWrites(graph, node, output)];
  if (Array.isArray(output) && output.some(isCommand))
    return output.flatMap((part) => outputWrites(graph, node, part));
  if (typeof output === "object" && !Array.isArray(output)) return stateWrites(graph, Object.entries(output));
  if (output === false || output === 0 || output === "") return [];
  const kind = Array.isArray(output) ? "a list without a Command" : `a ${typeof output}`;
  throw new InvalidUpdateError(
    `Node "${node}" must return an object with keys of the state, or a Command, not ${kind}.`,
    {
      details: { node },
      lcErrorCode: "INVALID_GRAPH_NODE_RETURN_VALUE",
    },
  );
}

/** Keys that are not of the state are dropped. */
function stateWrites(
  graph: GraphDefinition,
  entries: readonly (readonly [string, unknown])[],
): PendingWrite[] {
  return entries.filter(([key]) => Object.hasOwn(graph.state, key));
}

function gotoWrites(graph: GraphDefinition, node: string, command: Command): PendingWrite[] {
  return command.goto.flatMap((target) => targetWrite(graph, node, target, `The Command of node "${node}"`));
}

function targetWrite(
  graph: GraphDefinition,
  source: string,
  target: string | Send,
  speaker: string,
): PendingWrite[] {
  const name = isSend(target) ? target.node : target;
  if (name === END && !isSend(target)) return [];
  if (!graph.nodes.has(name)) throw new UnknownNodeError(name, speaker);
  return [isSend(target) ? [TASKS, target] : [branchChannel(name), source]];
}

function edgeWrites(node: string, edges: readonly Edge[]): PendingWrite[] {
  return edges
    .filter((edge) => edge.target !== END)
    .map((edge) =>
      edge.sources.length > 1 ? [joinChannel(edge), node] : [branchChannel(edge.target), null],
    );
}

async function withBranches(
  graph: GraphDefinition,
  branches: readonly Branch[],
  writes: readonly PendingWrite[],
  scope: WriteScope,
): Promise<readonly PendingWrite[]> {
  const state = scope.readFresh(Object.keys(graph.state), writes);
  const routed: PendingWrite[] = [];
  for (const branch of branches) {
    const result = await branch.path(state, scope.config);
    for (const route of routesOf(branch, result, (name) => graph.nodes.has(name))) {
      routed.push(...targetWrite(graph, branch.source, route, `The conditional edge of "${branch.source}"`));
    }
  }
  return [...writes, ...routed];
}
