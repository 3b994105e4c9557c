import type { BaseCheckpointSaver } from "../checkpoint/saver.ts";
import type { ChannelVersion } from "../checkpoint/types.ts";

/** The nodes that a run stops at, or `*` for all. */
export type Breakpoints<Nodes extends string = string> = readonly Nodes[] | "*";

export interface CompileOptions<Nodes extends string = string> {
  readonly checkpointer?: BaseCheckpointSaver<ChannelVersion>;
  readonly name?: string;
  readonly description?: string;
  /** What nodes find as `config.store`. */
  readonly store?: object;
  /** Where results of nodes with a `cachePolicy` are kept. */
  readonly cache?: object;
  readonly interruptBefore?: Breakpoints<Nodes>;
  readonly interruptAfter?: Breakpoints<Nodes>;
}
