import { GraphValidationError } from "../../graph-errors.ts";
import type { BreakpointNodes } from "../breakpoints.ts";
import { CompiledPregel, type CompiledParams, type PregelSettings } from "../compiled-pregel.ts";
import type { StreamTypes } from "../stream-types.ts";
import { handMadeGraph } from "./hand-made.ts";
import type { HandMadeParts } from "./hand-made-parts.ts";

/** A graph by its nodes and channels, and how it is run. */
export interface PregelParams extends HandMadeParts, PregelSettings {
  /** Accepted and without effect: the engine writes to no console. */
  readonly debug?: boolean;
}

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
> extends CompiledPregel<Input, Values, Output, Context, Types> {
  constructor(params: PregelParams | CompiledParams) {
    super("graph" in params ? params : optionsOf(params));
  }

  /** Every compiled graph is an instance, as in LangGraph. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const Class = this === Pregel ? CompiledPregel : this;
    return Function.prototype[Symbol.hasInstance].call(Class, value);
  }
}

function optionsOf(params: PregelParams): CompiledParams {
  const { name, nodes, channels, inputChannels, outputChannels, streamChannels, retryPolicy, ...settings } =
    params;
  const made = { name, nodes, channels, inputChannels, outputChannels, streamChannels, retryPolicy };
  const graph = handMadeGraph(made);
  for (const stops of [settings.interruptBefore, settings.interruptAfter]) requireNodes(stops, nodes);
  return { ...settings, graph };
}

function requireNodes(stops: BreakpointNodes | undefined, nodes: HandMadeParts["nodes"]): void {
  if (stops === undefined || stops === "*") return;
  for (const node of stops) {
    if (!Object.hasOwn(nodes, node))
      throw new GraphValidationError(
        `There is no node "${node}" to stop at. Correct interruptBefore or interruptAfter.`,
        { details: { node } },
      );
  }
}
