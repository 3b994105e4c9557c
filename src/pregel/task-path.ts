import { PULL, PUSH } from "./constants.ts";

export const HANDLER_PATH = "node_error_handler";

/**
 * Where a task comes from: `[PULL, node]`, `[PUSH, index, false]` for a Send, `[PUSH, path of the caller, count, true]`
 * for a call of a `task()`. The path of an error handler's task begins with that of the task which it takes the place of.
 */
export type TaskPath = readonly PathPart[];
type PathPart = string | number | boolean | TaskPath;

export function pullPath(node: string): TaskPath {
  return [PULL, node];
}

export function pushPath(index: number): TaskPath {
  return [PUSH, index, false];
}

export function handlerPath(failed: TaskPath): TaskPath {
  return [...failed.slice(0, 3), HANDLER_PATH, false];
}

export function callPath(caller: TaskPath, count: number): TaskPath {
  return [PUSH, caller, count, true];
}

/**
 * The path as text: the order of these texts, by Unicode code point, is the order in which the writes of a superstep are
 * applied, however the tasks finish. LangGraph's form.
 */
export function taskPathKey(path: TaskPath): string {
  return `~${path.map(partKey).join(", ")}`;
}

/** The text of `callPath`, from that of the caller's path. */
export function callPathKey(caller: string, count: number): string {
  return `~${PUSH}, ${caller}, ${partKey(count)}, ${partKey(true)}`;
}

function partKey(part: PathPart): string {
  if (typeof part === "string") return part;
  if (typeof part === "object") return taskPathKey(part);
  return Number(part).toString().padStart(10, "0");
}
