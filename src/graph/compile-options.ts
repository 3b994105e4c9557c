import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { BreakpointNodes } from "../pregel/breakpoints.ts";
import type { WritesCache } from "../pregel/cache-policy.ts";
import type { Checkpointer } from "../pregel/pregel-options.ts";

export interface CompileOptions<Nodes extends string = string> {
  readonly checkpointer?: Checkpointer;
  readonly name?: string;
  readonly description?: string;
  /** Long-term memory for nodes: `config.store`. */
  readonly store?: BaseStore;
  /** Where results of nodes with a `cachePolicy` are kept. */
  readonly cache?: WritesCache;
  /** Runs stop before (after) these nodes, or all of them ("*"), and are continued with null. */
  readonly interruptBefore?: BreakpointNodes<Nodes>;
  readonly interruptAfter?: BreakpointNodes<Nodes>;
}
