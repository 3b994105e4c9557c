import type { BaseChannel } from "../../channels/base.ts";
import type { RetryPolicy } from "../retry.ts";
import type { PregelNode } from "./pregel-node.ts";

/** A graph by its nodes and channels. */
export interface HandMadeParts {
  readonly name?: string | undefined;
  readonly nodes: Readonly<Record<string, PregelNode>>;
  readonly channels: Readonly<Record<string, BaseChannel>>;
  /** One: it takes the input as it is. A list: each takes its key of the input. */
  readonly inputChannels: string | readonly string[];
  /** What `invoke` returns: the value of the one, or an object of those that have one. */
  readonly outputChannels: string | readonly string[];
  /** What streams and states show; all channels unless said otherwise. */
  readonly streamChannels?: string | readonly string[] | undefined;
  /** Of nodes that have none of their own. */
  readonly retryPolicy?: RetryPolicy | undefined;
}
