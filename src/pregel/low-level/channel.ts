import { GraphValidationError } from "../../graph-errors.ts";
import { isRunnable } from "../runnable.ts";
import { ChannelWrite, PASSTHROUGH, type ChannelWriteEntry } from "./channel-write.ts";
import { PregelNode } from "./pregel-node.ts";
import { Sequence } from "./sequence.ts";

export interface SingleChannelSubscriptionOptions {
  /** The input is an object with the channel's value under this key, rather than the value. */
  readonly key?: string;
  readonly tags?: readonly string[];
}

export interface MultipleChannelSubscriptionOptions {
  readonly tags?: readonly string[];
}

/**
 * A node that runs when one of the channels has something new. One channel: its value is the input. A list: the input is an
 * object of them, and the node waits until each has a value.
 */
function subscribeTo(channel: string, options?: SingleChannelSubscriptionOptions): PregelNode;
function subscribeTo(channels: readonly string[], options?: MultipleChannelSubscriptionOptions): PregelNode;
function subscribeTo(
  channels: string | readonly string[],
  { key, tags = [] }: SingleChannelSubscriptionOptions = {},
): PregelNode {
  if (typeof channels === "string") {
    const read = key === undefined ? [channels] : { [key]: channels };
    return new PregelNode({ channels: read, triggers: [channels], tags });
  }
  if (key !== undefined) throw new GraphValidationError("A list of channels cannot have a key.");
  const read = Object.fromEntries(channels.map((channel) => [channel, channel]));
  return new PregelNode({ channels: read, triggers: channels, tags });
}

/**
 * Writes what it is given to each of the channels; to those of `writes` a value, or what a function or runnable makes of
 * what it is given, unless that is `undefined`.
 */
function writeTo(channels: readonly string[], writes: Readonly<Record<string, unknown>> = {}): ChannelWrite {
  return new ChannelWrite([
    ...channels.map((channel) => ({ channel, value: PASSTHROUGH, skipNone: false })),
    ...Object.entries(writes).map(([channel, value]) => entryOf(channel, value)),
  ]);
}

/**
 * Nodes by the channels that they read and write, without a state between them.
 *
 * @example
 * const double = Channel.subscribeTo("a").pipe((a: number) => a * 2).pipe(Channel.writeTo(["b"]));
 */
export const Channel = { subscribeTo, writeTo };

function entryOf(channel: string, value: unknown): ChannelWriteEntry {
  if (isRunnable(value)) return { channel, value: PASSTHROUGH, skipNone: true, mapper: value };
  if (isFunction(value))
    return { channel, value: PASSTHROUGH, skipNone: true, mapper: new Sequence([value]) };
  return { channel, value, skipNone: false };
}

function isFunction(value: unknown): value is (input: never) => unknown {
  return typeof value === "function";
}
