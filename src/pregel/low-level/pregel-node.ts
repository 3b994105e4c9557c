import { isObject } from "../../values/containers.ts";
import { GraphValidationError } from "../../graph-errors.ts";
import type { CachePolicy } from "../cache-policy.ts";
import type { RetryPolicy } from "../retry.ts";
import type { RunnableLike } from "../runnable.ts";
import type { TimeoutPolicy } from "../timeout.ts";
import type { Subgraph } from "../types.ts";
import { ChannelWrite } from "./channel-write.ts";
import { Sequence } from "./sequence.ts";

export interface PregelNodeArgs {
  /** A list: the input is the value of the first that has one. An object: the input has its keys, of those channels. */
  readonly channels: readonly string[] | Readonly<Record<string, string>>;
  /** The node runs when one of these has something new. */
  readonly triggers: readonly string[];
  /** Makes the input of what was read. */
  readonly mapper?: (read: never) => unknown;
  /** What the node does; without it, its output is its input. */
  readonly bound?: RunnableLike;
  /** What its output means for channels. */
  readonly writers?: readonly ChannelWrite[];
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly retryPolicy?: RetryPolicy;
  readonly cachePolicy?: CachePolicy;
  readonly timeout?: number | TimeoutPolicy;
  /** The graphs that `bound` runs, where they cannot be seen. */
  readonly subgraphs?: readonly Subgraph[];
  readonly ends?: readonly string[];
  /** The node that takes its place when it has failed. */
  readonly errorHandlerNode?: string;
}

/** A node of a graph that is made by hand. It is never changed: `pipe` and `join` return another one. */
export class PregelNode {
  readonly lc_graph_name = "PregelNode";
  readonly args: PregelNodeArgs;
  readonly channels: PregelNodeArgs["channels"];
  readonly triggers: readonly string[];
  readonly bound: RunnableLike | undefined;
  readonly writers: readonly ChannelWrite[];
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;

  constructor(args: PregelNodeArgs) {
    this.args = args;
    this.channels = args.channels;
    this.triggers = args.triggers;
    this.bound = args.bound;
    this.writers = args.writers ?? [];
    this.tags = args.tags ?? [];
    this.metadata = args.metadata ?? {};
  }

  /** Adds a step. Writes to channels come after all other steps, and get the output of the last. */
  pipe(step: RunnableLike): PregelNode {
    if (ChannelWrite.isWriter(step)) return this.#with({ writers: [...this.writers, step] });
    const { bound } = this;
    if (bound === undefined)
      return this.#with({ bound: typeof step === "function" ? new Sequence([step]) : step });
    return this.#with({ bound: bound instanceof Sequence ? bound.pipe(step) : new Sequence([bound, step]) });
  }

  /** Also reads these channels, without being started by them. */
  join(channels: readonly string[]): PregelNode {
    if (isList(this.channels))
      throw new GraphValidationError(
        "Only a node that reads its channels by name can read more: subscribe it to a list, or give it a key.",
      );
    const more = Object.fromEntries(channels.map((channel) => [channel, channel]));
    return this.#with({ channels: { ...this.channels, ...more } });
  }

  #with(args: Partial<PregelNodeArgs>): PregelNode {
    return new PregelNode({ ...this.args, ...args });
  }
}

/** By its form: it may be of another copy of this package. */
export function isPregelNode(value: unknown): value is PregelNode {
  return isObject(value) && "lc_graph_name" in value && value.lc_graph_name === "PregelNode";
}

export function isList(channels: PregelNodeArgs["channels"]): channels is readonly string[] {
  return Array.isArray(channels);
}
