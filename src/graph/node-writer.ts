import type { MaybePromise, PendingWrite } from "../checkpoint/types.ts";
import { InvalidUpdateError, UnknownNodeError } from "../graph-errors.ts";
import { ParentCommand } from "../pregel/nested-errors.ts";
import { Command, commandUpdates, isCommand } from "../pregel/command.ts";
import { END, ROOT, START, TASKS } from "../pregel/constants.ts";
import { isPromiseLike } from "../pregel/runnable.ts";
import { isSend, type Send } from "../pregel/send.ts";
import type { EngineNode, WriteScope } from "../pregel/types.ts";
import { routesOf, type Branch } from "./branch.ts";
import { branchChannel, isOneValue, joinChannel, type Edge, type GraphDefinition } from "./definition.ts";
import { checkEntries, type CheckedEntries } from "./schema/check-entries.ts";
import { describeIssues } from "./schema/standard-schema.ts";

/** Turns what a node returned into writes: of the state, and of the channels that start what comes next. */
export function nodeWriter(
  graph: GraphDefinition,
  node: string,
  edges: readonly Edge[],
): EngineNode["write"] {
  const next = edgeWrites(node, edges);
  const branches = graph.branches.filter((branch) => branch.source === node);
  return (output, scope) => {
    const written = checkWrites(graph, node, outputWrites(graph, node, output));
    const complete = (own: readonly PendingWrite[]): MaybePromise<readonly PendingWrite[]> => {
      const writes = [...own, ...next];
      return branches.length === 0 ? writes : withBranches(graph, branches, writes, scope);
    };
    return written instanceof Promise ? written.then(complete) : complete(written);
  };
}

/** The writes as the schemas of their keys give them. An input was checked when it came. */
function checkWrites(
  graph: GraphDefinition,
  node: string,
  writes: readonly PendingWrite[],
): MaybePromise<readonly PendingWrite[]> {
  const { keys } = graph.schema;
  if (node === START || !writes.some(([key]) => keys.get(key)?.check !== undefined)) return writes;
  const accept = (checked: CheckedEntries): readonly PendingWrite[] => {
    if (checked.ok) return checked.entries.map(([key, value]) => [key, value]);
    const channel = checked.issues[0]?.path[0];
    throw new InvalidUpdateError(
      `Node "${node}" returned an update that does not fit the state: ${describeIssues(checked.issues)}.`,
      { details: { node, channel, issues: checked.issues } },
    );
  };
  const checked = checkEntries(keys, writes);
  return checked instanceof Promise ? checked.then(accept) : accept(checked);
}

function outputWrites(graph: GraphDefinition, node: string, output: unknown): PendingWrite[] {
  if (output === undefined || output === null) return [];
  if (isCommand(output) && output.graph === Command.PARENT) {
    const { update, goto } = output;
    throw new ParentCommand(new Command(update === undefined ? { goto } : { update, goto }));
  }
  if (isCommand(output))
    return [
      ...stateWrites(graph, node, commandUpdates(output, isOneValue(graph.schema))),
      ...gotoWrites(graph, node, output),
    ];
  if (Array.isArray(output) && output.some(isCommand))
    return output.flatMap((part) => outputWrites(graph, node, part));
  if (isOneValue(graph.schema)) return [[ROOT, output]];
  if (typeof output === "object" && !Array.isArray(output))
    return stateWrites(graph, node, Object.entries(output));
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

/** Keys that are not of the state, or, for an input, of the input, are dropped. */
function stateWrites(
  { schema }: GraphDefinition,
  node: string,
  entries: readonly (readonly [string, unknown])[],
): PendingWrite[] {
  const keys = node === START ? schema.input : schema.keys;
  return entries.filter(([key]) => keys.has(key)).map(([key, value]) => [key, value]);
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

/** The writes are adopted at once, so that the conditional edges and the superstep reduce the same ones. */
function withBranches(
  graph: GraphDefinition,
  branches: readonly Branch[],
  output: readonly PendingWrite[],
  scope: WriteScope,
): MaybePromise<readonly PendingWrite[]> {
  const writes = [...scope.adopt(output)];
  const state = scope.readFresh(graph.schema.allKeys, writes);
  const takeFrom = (index: number): MaybePromise<readonly PendingWrite[]> => {
    const branch = branches[index];
    if (branch === undefined) return writes;
    const take = (result: unknown): MaybePromise<readonly PendingWrite[]> => {
      writes.push(...routeWrites(graph, branch, result));
      return takeFrom(index + 1);
    };
    const result = branch.path(state, scope.config);
    return isPromiseLike(result) ? Promise.resolve(result).then(take) : take(result);
  };
  return takeFrom(0);
}

function routeWrites(graph: GraphDefinition, branch: Branch, result: unknown): PendingWrite[] {
  return routesOf(branch, result, (name) => graph.nodes.has(name)).flatMap((route) =>
    targetWrite(graph, branch.source, route, `The conditional edge of "${branch.source}"`),
  );
}
