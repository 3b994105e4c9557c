import type { BaseChannel } from "../../channels/base.ts";
import { GraphValidationError } from "../../errors.ts";
import type { BreakpointNodes } from "../breakpoints.ts";
import { DrawableGraph } from "../drawing/drawable-graph.ts";
import type { GraphOptions } from "../pregel-options.ts";
import { RunnableGraph } from "../runnable-graph.ts";
import type { StreamTypes } from "../stream-types.ts";
import { shownChannels } from "../stream.ts";
import { systemEnvironment } from "../system-environment.ts";
import type { EngineNode } from "../types.ts";
import { handMadeGraph, type HandMadeGraph } from "./hand-made.ts";

export interface DrawOptions {
  /** How far graphs inside nodes are drawn: not at all, all of them, or so many levels. */
  readonly xray?: boolean | number | undefined;
}

/** What a graph can be told besides what it is made of. */
export type PregelSettings = Omit<GraphOptions, "graph" | "environment">;

/** A graph by its nodes and channels, and how it is run. */
export interface PregelParams extends HandMadeGraph, PregelSettings {
  /** Accepted and without effect: the engine writes to no console. */
  readonly debug?: boolean;
}

/** A graph that was compiled, with the place it runs in where that is not this process. */
export type CompiledParams = PregelSettings &
  Pick<GraphOptions, "graph"> &
  Partial<Pick<GraphOptions, "environment">>;

/**
 * A graph that can be run, made by hand of nodes and the channels between them. What `StateGraph.compile` and `entrypoint`
 * return is one too.
 *
 * @example
 * const app = new Pregel({
 *   nodes: { double: Channel.subscribeTo("a").pipe((a: number) => a * 2).pipe(Channel.writeTo(["b"])) },
 *   channels: { a: new EphemeralValue<number>(), b: new LastValue<number>() },
 *   inputChannels: "a",
 *   outputChannels: "b",
 * });
 * await app.invoke(2); // 4
 */
export class Pregel<
  Input = unknown,
  Values = Record<string, unknown>,
  Output = Values,
  Context = unknown,
  Types extends StreamTypes = StreamTypes,
> extends RunnableGraph<Input, Values, Output, Context, Types> {
  constructor(params: PregelParams | CompiledParams) {
    super("graph" in params ? { environment: systemEnvironment, ...params } : optionsOf(params));
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

function optionsOf(params: PregelParams): GraphOptions {
  const { name, nodes, channels, inputChannels, outputChannels, streamChannels, retryPolicy, ...settings } =
    params;
  const made = { name, nodes, channels, inputChannels, outputChannels, streamChannels, retryPolicy };
  const graph = handMadeGraph(made);
  for (const stops of [settings.interruptBefore, settings.interruptAfter]) requireNodes(stops, nodes);
  return { ...settings, graph, environment: systemEnvironment };
}

function requireNodes(stops: BreakpointNodes | undefined, nodes: HandMadeGraph["nodes"]): void {
  if (stops === undefined || stops === "*") return;
  for (const node of stops) {
    if (!Object.hasOwn(nodes, node))
      throw new GraphValidationError(
        `There is no node "${node}" to stop at. Correct interruptBefore or interruptAfter.`,
        { details: { node } },
      );
  }
}
