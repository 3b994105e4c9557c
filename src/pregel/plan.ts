import { handOut } from "../values/adopt.ts";
import { UnknownNodeError } from "../graph-errors.ts";
import { BRANCH_TO, NAMESPACE_SEPARATOR, PUSH, TASKS } from "./constants.ts";
import { isLaterVersion, type GraphState } from "./graph-state.ts";
import type { NodeError } from "./policy-errors.ts";
import { isSendPacket } from "./send.ts";
import { pullTaskId, pushTaskId } from "./task-id.ts";
import { pullPath, pushPath, taskPathKey, type TaskPath } from "./task-path.ts";
import { timeoutPolicyOf, type TimeoutPolicy } from "./timeout.ts";
import type { EngineNode } from "./types.ts";

/** One execution of a node that the next superstep does. */
export interface PlannedTask {
  readonly id: string;
  readonly name: string;
  readonly path: TaskPath;
  /** `path` as text: orders the writes of the superstep. */
  readonly pathKey: string;
  readonly triggers: readonly string[];
  /** Absent when the graph no longer has the node. */
  readonly node: EngineNode | undefined;
  /** The arguments of the Send that started it, as they are in the state; or those of the call that did. */
  readonly sendArgs?: unknown;
  /** What the Send that started it says. */
  readonly timeout?: TimeoutPolicy;
  /** What the node that it takes the place of threw: the task is one of an error handler. */
  readonly handles?: NodeError;
  /** Of a task that another has called, or that takes the place of one: the namespace of that other, which its own is below. */
  readonly caller?: string;
}

export interface PlanPosition {
  readonly checkpointId: string;
  /** Of the superstep that is planned. */
  readonly step: number;
  /** Of the graph: "" for the root. */
  readonly namespace: string;
}

/** Whether a task was called by another, which also shows its questions. */
export function isCalled(task: PlannedTask): boolean {
  return task.caller !== undefined && task.handles === undefined;
}

/**
 * The tasks that follow from a state: first one for each Send, in their order, then one for each node that has a
 * trigger newer than what it has seen, by name. The same state always gives the same tasks with the same ids.
 */
export function planTasks(state: GraphState, position: PlanPosition): PlannedTask[] {
  return [...planSends(state, position), ...planTriggered(state, position), ...planMissing(state, position)];
}

/** Throws for the first task whose node this graph does not have. */
export function requireNodes(tasks: readonly PlannedTask[]): void {
  const missing = tasks.find((task) => task.node === undefined);
  if (missing !== undefined) throw new UnknownNodeError(missing.name, "The saved state");
}

/** What the node of a task is called with: what can be changed in it is a copy for each who asks. */
export function inputOf(state: GraphState, task: PlannedTask): unknown {
  if ("sendArgs" in task) return handOut(task.sendArgs);
  const read = state.readAll(task.node?.channels ?? [], true);
  return task.node?.mapper === undefined ? read : task.node.mapper(read);
}

function planSends(state: GraphState, position: PlanPosition): PlannedTask[] {
  const packets = state.adopted(TASKS);
  if (!Array.isArray(packets)) return [];
  return packets.filter(isSendPacket).map((packet, index) => {
    const path = pushPath(index);
    const timeout = timeoutPolicyOf(packet.timeout, packet.node);
    return {
      id: pushTaskId(
        position.checkpointId,
        nodeNamespace(position, packet.node),
        position.step,
        packet.node,
        index,
      ),
      name: packet.node,
      path,
      pathKey: taskPathKey(path),
      triggers: [PUSH],
      node: state.graph.nodes.get(packet.node),
      sendArgs: packet.args,
      ...(timeout === undefined ? {} : { timeout }),
    };
  });
}

function planTriggered(state: GraphState, position: PlanPosition): PlannedTask[] {
  const tasks: PlannedTask[] = [];
  for (const name of candidates(state)) {
    const node = state.graph.nodes.get(name);
    const trigger = node?.triggers.find((channel) => isTriggered(state, name, channel));
    if (node === undefined || trigger === undefined || !canRead(state, node)) continue;
    tasks.push(pullTask(node.name, node, node.triggers, trigger, position));
  }
  return tasks;
}

/** A saved trigger of a node that the graph no longer has is a task too, so that it is not lost without a word. */
function planMissing(state: GraphState, position: PlanPosition): PlannedTask[] {
  return state.unknownChannels(BRANCH_TO).map((channel) => {
    return pullTask(channel.slice(BRANCH_TO.length), undefined, [channel], channel, position);
  });
}

function pullTask(
  name: string,
  node: EngineNode | undefined,
  triggers: readonly string[],
  trigger: string,
  position: PlanPosition,
): PlannedTask {
  const { path, pathKey } = placeOf(name);
  const namespace = nodeNamespace(position, name);
  return {
    id: pullTaskId(position.checkpointId, namespace, position.step, name, trigger),
    name,
    path,
    pathKey,
    triggers,
    node,
  };
}

interface Place {
  readonly path: TaskPath;
  readonly pathKey: string;
}

/** By the name of the node; there are as many as deployments have nodes. */
const places = new Map<string, Place>();

function placeOf(node: string): Place {
  let place = places.get(node);
  if (place === undefined) {
    const path = pullPath(node);
    place = { path, pathKey: taskPathKey(path) };
    places.set(node, place);
  }
  return place;
}

function candidates(state: GraphState): Iterable<string> {
  const { graph, updated } = state;
  if (updated === undefined) return [...graph.nodes.keys()].toSorted();
  const triggers = updated.filter((channel) => graph.triggerToNodes.has(channel));
  const started = triggers.map((channel) => graph.triggerToNodes.get(channel) ?? []);
  return started.length < 2 ? (started[0] ?? []) : [...new Set(started.flat())].toSorted();
}

function canRead(state: GraphState, { requires }: EngineNode): boolean {
  return requires === undefined || requires.every((channel) => state.channels.get(channel)?.isAvailable());
}

/** Whether the channel has something new for the node. */
export function isTriggered(state: GraphState, node: string, channel: string): boolean {
  const version = state.versions[channel];
  if (version === undefined || !state.channels.get(channel)?.isAvailable()) return false;
  return isLaterVersion(version, state.seen[node]?.[channel]);
}

function nodeNamespace(position: PlanPosition, node: string): string {
  return position.namespace === "" ? node : `${position.namespace}${NAMESPACE_SEPARATOR}${node}`;
}
