/** The graphs of a run, one inside the other, as the protocol shows them. */
export interface AgentTree {
  readonly namespace: readonly string[];
  readonly status: string;
  readonly graph_name: string;
  readonly children?: readonly AgentTree[];
}

/** A task of a state, as far as it says something of the graph inside it. */
export interface GraphTask {
  readonly error: unknown;
  readonly interrupts: readonly unknown[];
  readonly checkpoint: { readonly checkpoint_ns: string } | null;
  readonly state: {
    readonly tasks: readonly GraphTask[];
    readonly checkpoint: GraphTask["checkpoint"];
  } | null;
}

/**
 * `graphs`: the namespaces of those inside nodes. Those in `tasks`, which are still to be finished, stand as their task does;
 * the others have come to their end.
 */
export function agentTree(
  root: Pick<AgentTree, "status" | "graph_name">,
  graphs: readonly string[],
  tasks: readonly GraphTask[],
): AgentTree {
  const statuses = new Map(statusesOf(tasks));
  const children = Map.groupBy(new Set([...graphs, ...statuses.keys()].flatMap(withOuter)), outerOf);
  const childrenOf = (namespace: string): Pick<AgentTree, "children"> => {
    const inner = children.get(namespace)?.map(treeOf);
    return inner === undefined ? {} : { children: inner };
  };
  const treeOf = (namespace: string): AgentTree => {
    const path = namespace.split("|");
    const [graph_name = ""] = path.findLast((part) => !isOrdinal(part))?.split(":", 1) ?? [];
    const status = statuses.get(namespace) ?? "completed";
    return { namespace: path, status, graph_name, ...childrenOf(namespace) };
  };
  return { namespace: [], ...root, ...childrenOf("") };
}

function* statusesOf(tasks: readonly GraphTask[]): Generator<readonly [namespace: string, status: string]> {
  for (const { error, interrupts, checkpoint, state } of tasks) {
    const inner = state?.checkpoint ?? checkpoint;
    if (inner === null) continue;
    const waiting = interrupts.length > 0 ? "interrupted" : "running";
    yield [inner.checkpoint_ns, error === null ? waiting : "failed"];
    if (state !== null) yield* statusesOf(state.tasks);
  }
}

/** Of a task that runs several graphs: the second and later ones have their number behind its name. */
function isOrdinal(part: string | undefined): boolean {
  return part !== undefined && /^\d+$/.test(part);
}

function withOuter(namespace: string): string[] {
  const path = namespace.split("|");
  return path.flatMap((_, index) => (isOrdinal(path[index + 1]) ? [] : [path.slice(0, index + 1).join("|")]));
}

function outerOf(namespace: string): string {
  return withOuter(namespace).at(-2) ?? "";
}
