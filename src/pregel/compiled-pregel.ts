import type { BaseChannel } from "../channels/base.ts";
import { DrawableGraph } from "./drawing/drawable-graph.ts";
import type { GraphOptions } from "./pregel-options.ts";
import { RunnableGraph } from "./runnable-graph.ts";
import type { StreamTypes } from "./stream-types.ts";
import { shownChannels } from "./stream.ts";
import { systemEnvironment } from "./system-environment.ts";
import type { EngineNode } from "./types.ts";

export interface DrawOptions {
  /** How far graphs inside nodes are drawn: not at all, all of them, or so many levels. */
  readonly xray?: boolean | number | undefined;
}

/** What a graph can be told besides what it is made of. */
export type PregelSettings = Omit<GraphOptions, "graph" | "environment">;

/** A graph that was compiled, with the place it runs in where that is not this process. */
export type CompiledParams = PregelSettings &
  Pick<GraphOptions, "graph"> &
  Partial<Pick<GraphOptions, "environment">>;

/**
 * A graph that can be run, and shows what it is made of. `Pregel`, which makes one of nodes and channels, is apart: few
 * Workers need it.
 */
export class CompiledPregel<
  Input = unknown,
  Values = Record<string, unknown>,
  Output = Values,
  Context = unknown,
  Types extends StreamTypes = StreamTypes,
> extends RunnableGraph<Input, Values, Output, Context, Types> {
  constructor(params: CompiledParams) {
    super({ environment: systemEnvironment, ...params });
  }

  get name(): string {
    return this.graph.name;
  }

  getName(): string {
    return this.graph.name;
  }

  /** The nodes as the engine runs them. */
  get nodes(): Readonly<Record<string, EngineNode>> {
    return Object.fromEntries(this.graph.nodes);
  }

  get channels(): Readonly<Record<string, BaseChannel>> {
    return Object.fromEntries(this.graph.channels);
  }

  /** The graph as a drawing: here, one node between its input and its output. */
  getGraph(_options: DrawOptions = {}): DrawableGraph {
    const drawing = new DrawableGraph();
    const [input, output] = [`${this.name}Input`, `${this.name}Output`];
    drawing.addNode({ id: input, kind: "schema" });
    drawing.addNode({ id: this.name, kind: "runnable" });
    drawing.addNode({ id: output, kind: "schema" });
    drawing.addEdge({ source: input, target: this.name });
    drawing.addEdge({ source: this.name, target: output });
    return drawing;
  }

  async getGraphAsync(options: DrawOptions = {}): Promise<DrawableGraph> {
    return this.getGraph(options);
  }

  get inputChannels(): string | readonly string[] {
    return this.graph.inputChannels;
  }

  get outputChannels(): string | readonly string[] {
    return this.graph.outputChannels;
  }

  /** What streams and states show: one channel, or a list. */
  get streamChannelsAsIs(): string | readonly string[] {
    return shownChannels(this.graph);
  }

  get streamChannelsList(): readonly string[] {
    return [shownChannels(this.graph)].flat();
  }
}
