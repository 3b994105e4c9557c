import { describeError } from "../../error-record.ts";
import type { Span, SpanPart, SpanResult } from "../../pregel/span.ts";

/** What a graph inside a node has come to. */
export interface GraphEvent {
  readonly event: "started" | (typeof OUTCOMES)[SpanResult["status"]];
  readonly error?: { readonly error: string; readonly message: string };
}

/** Takes what is told of the graph with this namespace. */
export type TellGraph = (namespace: string, event: GraphEvent) => void;

const OUTCOMES = {
  done: "completed",
  failed: "failed",
  interrupted: "interrupted",
  left: "interrupted",
} as const;

/**
 * Work of which is told where graphs inside nodes begin and how they end, besides to whoever traces it.
 */
export class ToldGraphs implements Span {
  readonly #tell: TellGraph;
  readonly #traced: Span | undefined;
  /** The namespaces of the graphs that this task runs now. */
  readonly #begun = new Set<string>();

  constructor(tell: TellGraph, traced: Span | undefined) {
    this.#tell = tell;
    this.#traced = traced;
  }

  begin(part: SpanPart): Span {
    if (part.kind === "superstep" && part.namespace !== "") this.#superstep(part.namespace);
    return new ToldGraphs(this.#tell, this.#traced?.begin(part));
  }

  #superstep(namespace: string): void {
    if (this.#begun.has(namespace)) return;
    this.#begun.add(namespace);
    this.#tell(namespace, { event: "started" });
  }

  endGraph(namespace: string, { status, error }: SpanResult): void {
    // A graph that was refused has not begun.
    if (!this.#begun.delete(namespace)) return;
    const { name, message } = describeError(error);
    const isFailed = status === "failed";
    this.#tell(namespace, { event: OUTCOMES[status], ...(isFailed && { error: { error: name, message } }) });
  }

  /** A graph that has not ended was cut off. */
  end(result: SpanResult): void {
    for (const namespace of this.#begun) this.endGraph(namespace, { status: "left" });
    this.#traced?.end(result);
  }
}
