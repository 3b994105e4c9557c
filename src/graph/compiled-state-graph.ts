import { isInterrupted, type Interrupt } from "../interrupt-error.ts";
import { INTERRUPT } from "../pregel/constants.ts";
import type { InferInterruptInputType, InferInterruptResumeType } from "../pregel/infer-interrupt.ts";
import type { Command } from "../pregel/command.ts";
import type { BaseChannel } from "../channels/base.ts";
import type { DrawableGraph } from "../pregel/drawing/drawable-graph.ts";
import type { InferWriterType } from "../pregel/types.ts";
import { CompiledPregel, type CompiledParams, type DrawOptions } from "../pregel/compiled-pregel.ts";
import type { CompileOptions } from "./compile-options.ts";
import type { GraphDefinition } from "./definition.ts";
import { drawCompiled } from "./draw-compiled.ts";
import type { NodeDefinition } from "./node.ts";
import type { GraphDefinitions } from "./type-schemas.ts";
import type { ExtractContextType, ExtractStateType, ExtractUpdateType } from "./schema/state-types.ts";

type InputOf<Input, Update> = Input extends undefined ? Update : ExtractUpdateType<Input>;
type OutputOf<Output, State> = Output extends undefined ? State : ExtractStateType<Output>;
type ContextOf<Context> = Context extends undefined ? unknown : ExtractContextType<Context>;

/** What a builder shows of itself. */
export interface GraphBuilder {
  readonly channels: Readonly<Record<string, BaseChannel>>;
  readonly definitions: GraphDefinitions;
  readonly nodes: Readonly<Record<string, NodeDefinition>>;
  readonly edges: ReadonlySet<readonly [source: string, target: string]>;
}

export type CompiledStateGraphParams = CompiledParams & {
  readonly compiled: CompileOptions;
  readonly builder: GraphBuilder;
  readonly definition: GraphDefinition;
};

/** A graph that can be run, as `StateGraph.compile` returns it. */
export class CompiledStateGraph<
  State,
  Update,
  _Nodes extends string = string,
  Input = undefined,
  Output = undefined,
  Context = undefined,
  Asking = unknown,
  Chunk = unknown,
> extends CompiledPregel<
  InputOf<Input, Update> | Command<InferInterruptResumeType<Asking>, Partial<Update>> | null,
  State,
  OutputOf<Output, State>,
  ContextOf<Context>,
  { readonly update: Update; readonly custom: InferWriterType<Chunk>; readonly mode: "updates" }
> {
  readonly lc_graph_name = "CompiledStateGraph";
  readonly description: string | undefined;
  /** All that `compile` was told, also what the engine has no use for. */
  readonly options: CompileOptions;
  /** What the graph was compiled from. */
  readonly builder: GraphBuilder;
  readonly #definition: GraphDefinition;

  constructor(params: CompiledStateGraphParams) {
    super(params);
    this.options = params.compiled;
    this.description = params.compiled.description;
    this.builder = params.builder;
    this.#definition = params.definition;
  }

  /** Whether a result, or a chunk, holds questions: the types are those of the graph's `interrupt`. */
  isInterrupted(
    result: unknown,
  ): result is { readonly [INTERRUPT]: readonly Interrupt<InferInterruptInputType<Asking>>[] } {
    return isInterrupted(result);
  }

  /** The nodes and edges as a drawing; `xray`: also those of the graphs inside nodes. */
  override getGraph(options: DrawOptions = {}): DrawableGraph {
    const { interruptBefore, interruptAfter } = this.options;
    const subgraphs = (): Iterable<readonly [string, unknown]> => this.getSubgraphs();
    return drawCompiled(
      { definition: this.#definition, interruptBefore, interruptAfter, subgraphs },
      options,
    );
  }
}
