import { NAMESPACE_END, NAMESPACE_SEPARATOR } from "./constants.ts";

/**
 * Checkpoint namespaces: "" is the root graph; a graph that runs inside a task has the namespace of that task,
 * `node:task id`, below the one of its graph; further graphs in the same task have a number behind it.
 */

/** The namespace of a task: of the first graph that runs inside it. */
export function taskNamespace(graph: string, node: string, taskId: string): string {
  return `${childNamespace(graph, node)}${NAMESPACE_END}${taskId}`;
}

/** `part` below the namespace of a graph. */
export function childNamespace(graph: string, part: string): string {
  return graph === "" ? part : `${graph}${NAMESPACE_SEPARATOR}${part}`;
}

/** Without the ids of tasks: the same at every visit of the node. */
export function withoutTaskIds(namespace: string): string {
  return segmentsOf(namespace)
    .map((segment) => segment.split(NAMESPACE_END, 1)[0])
    .join(NAMESPACE_SEPARATOR);
}

export function segmentsOf(namespace: string): string[] {
  return namespace === "" ? [] : namespace.split(NAMESPACE_SEPARATOR);
}

export interface NamespaceStep {
  readonly node: string;
  /** Which of the graphs that the task ran, from 0. */
  readonly ordinal: number;
  /** The namespace up to here. */
  readonly namespace: string;
}

/** A namespace as the nodes that lead to it. */
export function stepsOf(namespace: string): NamespaceStep[] {
  const steps: NamespaceStep[] = [];
  let path = "";
  for (const segment of segmentsOf(namespace)) {
    path = childNamespace(path, segment);
    const last = steps.at(-1);
    if (/^\d+$/.test(segment) && last !== undefined) {
      steps[steps.length - 1] = { node: last.node, ordinal: Number(segment), namespace: path };
    } else {
      steps.push({ node: segment.split(NAMESPACE_END, 1)[0] ?? "", ordinal: 0, namespace: path });
    }
  }
  return steps;
}

/** Whether the namespace belongs to a graph inside a task. */
export function isOfTask(namespace: string): boolean {
  return namespace.includes(NAMESPACE_END);
}
