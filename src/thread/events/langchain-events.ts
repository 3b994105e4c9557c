import { isObject } from "../../values/containers.ts";
import type { Span, SpanPart, SpanResult } from "../../pregel/span.ts";

/** An event of LangChain, as its `streamEvents` tells it. */
export interface LangChainEvent {
  readonly event: string;
  readonly name: string;
  readonly run_id: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, unknown>>;
}

export type TellEvent = (event: LangChainEvent) => void;

/** What LangChain calls the kinds of work. */
const KINDS = { task: "chain", model: "chat_model", tool: "tool" } as const;

/** Where the work is in the graph. */
type Place = Pick<LangChainEvent, "tags" | "metadata">;

const NOWHERE: Place = { tags: [], metadata: {} };

/** Work whose begin and end are told as LangChain tells them, besides to whoever traces it. */
export class ToldSpan implements Span {
  readonly #id: string;
  readonly #tell: TellEvent;
  readonly #traced: Span | undefined;
  readonly #place: Place;
  readonly #onEnd: (result: SpanResult) => void;
  #parts = 0;

  constructor(
    id: string,
    tell: TellEvent,
    traced: Span | undefined,
    place: Place = NOWHERE,
    onEnd: (result: SpanResult) => void = () => undefined,
  ) {
    this.#id = id;
    this.#tell = tell;
    this.#traced = traced;
    this.#place = place;
    this.#onEnd = onEnd;
  }

  begin(part: SpanPart): Span {
    const traced = this.#traced?.begin(part);
    if (part.kind === "superstep") {
      const { step } = part;
      const place = { tags: [`graph:step:${step}`], metadata: { langgraph_step: step } };
      return new ToldSpan(this.#id, this.#tell, traced, place);
    }
    const { name } = part;
    const kind = KINDS[part.kind];
    const id = part.kind === "task" ? part.taskId : `${this.#id}/${(this.#parts += 1)}`;
    const place = part.kind === "task" ? inNode(this.#place, name) : { ...this.#place, tags: [] };
    const told = (phase: "start" | "end", data: LangChainEvent["data"]): void =>
      this.#tell({ event: `on_${kind}_${phase}`, name, run_id: id, ...place, data });
    told("start", { input: part.input() });
    // LangChain has no event for what fails.
    return new ToldSpan(id, this.#tell, traced, place, ({ status, output }) => {
      if (status !== "failed") told("end", { output: output?.() });
    });
  }

  end(result: SpanResult): void {
    this.#onEnd(result);
    this.#traced?.end(result);
  }

  endGraph(namespace: string, result: SpanResult): void {
    this.#traced?.endGraph?.(namespace, result);
  }
}

function inNode({ tags, metadata }: Place, node: string): Place {
  return { tags, metadata: { ...metadata, langgraph_node: node } };
}

/** A piece of a message that a model says. */
export function modelStream(chunk: { readonly id: string }, metadata: unknown): LangChainEvent {
  const given = isObject(metadata) ? { ...metadata } : {};
  const { tags = [], name = "model", ...others }: Record<string, unknown> = given;
  return {
    event: "on_chat_model_stream",
    name: String(name),
    run_id: chunk.id.replace(/^run-/, ""),
    tags: Array.isArray(tags) ? tags.map(String) : [],
    metadata: others,
    data: { chunk },
  };
}
