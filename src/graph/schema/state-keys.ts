import type { BaseChannel } from "../../channels/base.ts";
import { ManagedValue } from "../../channels/managed-value.ts";
import type { MaybePromise } from "../../checkpoint/types.ts";
import type { Checked } from "./standard-schema.ts";

/** A key of a graph's state: the channel that holds it, and what may be written to it. */
export interface StateKey {
  readonly channel: BaseChannel;
  /** Absent where anything may be written. */
  readonly check?: (write: unknown) => MaybePromise<Checked>;
}

export type StateKeys = ReadonlyMap<string, StateKey>;

/** The keys that are not filled in by the engine: those that inputs, results and streams have. */
export function writable(keys: StateKeys): StateKeys {
  return new Map([...keys].filter(([, { channel }]) => !(channel instanceof ManagedValue)));
}
