import type { ProtocolEvent } from "./protocol-event.ts";

/** A task that has come to an end, or waits. */
export interface EndedTask {
  readonly id: string;
  readonly name: string;
  readonly error: unknown;
  readonly interrupts: readonly unknown[];
}

/** Says when the graphs inside nodes begin and end. They are known by what is heard from them. */
export class SubgraphEvents {
  readonly #started = new Set<string>();

  /** Something comes from the graph with this namespace. */
  heard(namespace: readonly string[]): ProtocolEvent[] {
    const events: ProtocolEvent[] = [];
    for (let depth = 1; depth <= namespace.length; depth++) {
      const inner = namespace.slice(0, depth);
      if (this.#started.has(inner.join("|"))) continue;
      this.#started.add(inner.join("|"));
      events.push(lifecycle(inner, "started"));
    }
    return events;
  }

  /** A task of the graph with this namespace has ended: so has the graph in it, if there was one. */
  taskEnded(graph: readonly string[], task: EndedTask): ProtocolEvent[] {
    const namespace = [...graph, `${task.name}:${task.id}`];
    if (!this.#started.delete(namespace.join("|"))) return [];
    const { error, interrupts } = task;
    if (error !== null && error !== undefined) return [lifecycle(namespace, "failed", messageOf(error))];
    return [lifecycle(namespace, interrupts.length > 0 ? "interrupted" : "completed")];
  }
}

function lifecycle(namespace: readonly string[], event: string, error?: string): ProtocolEvent {
  const [graph_name = ""] = (namespace.at(-1) ?? "").split(":", 1);
  const data = { event, graph_name, ...(error !== undefined && { error }) };
  return { method: "lifecycle", namespace, data };
}

function messageOf(error: unknown): string {
  const isDescribed = typeof error === "object" && error !== null && "message" in error;
  return String(isDescribed ? error.message : error);
}
