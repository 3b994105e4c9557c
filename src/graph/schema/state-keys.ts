import type { BaseChannel } from "../../channels/base.ts";
import type { MaybePromise } from "../../checkpoint/types.ts";
import type { Checked } from "./standard-schema.ts";

/** A key of a graph's state: the channel that holds it, and what may be written to it. */
export interface StateKey {
  readonly channel: BaseChannel;
  /** Absent where anything may be written. */
  readonly check?: (write: unknown) => MaybePromise<Checked>;
}

export type StateKeys = ReadonlyMap<string, StateKey>;
