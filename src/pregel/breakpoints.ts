import { UPDATE_TRIGGER } from "./constants.ts";
import { setOwn } from "../values/set-own.ts";
import { isLaterVersion, type GraphState } from "./graph-state.ts";
import type { ChannelVersions } from "../checkpoint/types.ts";
import type { PlannedTask } from "./plan.ts";

/** Nodes at which a run stops; "*": at all of them. */
export type BreakpointNodes<Nodes extends string = string> = "*" | readonly Nodes[];

/** Where a run stops without a question, to be continued with null. */
export interface Breakpoints {
  readonly before: BreakpointNodes;
  readonly after: BreakpointNodes;
}

/** The breakpoints of a graph and of a call, or undefined when there are none: they then cost nothing. */
export function breakpointsOf(
  before: BreakpointNodes | undefined,
  after: BreakpointNodes | undefined,
): Breakpoints | undefined {
  const none = (nodes: BreakpointNodes | undefined): boolean => nodes === undefined || nodes.length === 0;
  return none(before) && none(after) ? undefined : { before: before ?? [], after: after ?? [] };
}

/** Whether a run stops at these tasks. Only once: not again until a channel has changed since it went on. */
export function stopsAt(nodes: BreakpointNodes, tasks: readonly PlannedTask[], state: GraphState): boolean {
  const isNamed = tasks.some((task) => (nodes === "*" ? !task.node?.hidden : nodes.includes(task.name)));
  return isNamed && hasChanged(state);
}

/** From here the run goes on: it stops next where something has changed. */
export function passBreakpoints(state: GraphState): void {
  const seen = { ...state.seen };
  setOwn<ChannelVersions>(seen, UPDATE_TRIGGER, { ...state.versions });
  state.seen = seen;
}

function hasChanged({ seen, versions }: GraphState): boolean {
  const passed = Object.hasOwn(seen, UPDATE_TRIGGER) ? seen[UPDATE_TRIGGER] : undefined;
  if (passed === undefined) return true;
  return Object.entries(versions).some(([channel, version]) => isLaterVersion(version, passed[channel]));
}
