import { segmentsOf, stepsOf } from "../../pregel/namespace.ts";
import type { GraphEvent } from "../events/told-graphs.ts";
import type { ProtocolEvent } from "./protocol-event.ts";

/** Says when the graphs inside nodes begin and end: with what is first heard of them, and when they have ended. */
export class SubgraphEvents {
  /** The names of those that go on, by namespace. */
  readonly #going = new Map<string, string>();

  /** Something comes from the graph with this namespace. */
  heard(namespace: readonly string[]): ProtocolEvent[] {
    return this.#begun(namespace.join("|"));
  }

  became(namespace: string, { event, error }: GraphEvent): ProtocolEvent[] {
    return event === "started" ? this.#begun(namespace) : this.#ended(namespace, event, error?.message);
  }

  /** Nothing more comes: those that still go on were cut off. */
  end(): ProtocolEvent[] {
    return [...this.#going.keys()].toReversed().flatMap((namespace) => this.#ended(namespace, "interrupted"));
  }

  #begun(innermost: string): ProtocolEvent[] {
    if (innermost === "" || this.#going.has(innermost)) return [];
    return stepsOf(innermost).flatMap(({ namespace, node }) => {
      if (this.#going.has(namespace)) return [];
      this.#going.set(namespace, node);
      return [lifecycle(namespace, "started", node)];
    });
  }

  #ended(namespace: string, event: string, error?: string): ProtocolEvent[] {
    const name = this.#going.get(namespace);
    if (name === undefined) return [];
    this.#going.delete(namespace);
    return [lifecycle(namespace, event, name, error)];
  }
}

function lifecycle(namespace: string, event: string, graph_name: string, error?: string): ProtocolEvent {
  const data = { event, graph_name, ...(error !== undefined && { error }) };
  return { method: "lifecycle", namespace: segmentsOf(namespace), data };
}
