import { InvalidArgumentError } from "../errors.ts";
import { InvalidUpdateError } from "../graph-errors.ts";
import { type Adopt, type BaseChannel, EMPTY, keep } from "./base.ts";
import { isOverwrite, overwriteOf, type OverwriteUpdate } from "./overwrite.ts";
import { SingleValueChannel } from "./single-value.ts";
import { snapshotValue } from "./snapshot-value.ts";

/** Must give the same result for all writes at once as for a part of them and then the rest. */
export type DeltaReducer<Value, Update> = (value: Value, writes: Update[]) => Value;

export interface DeltaChannelOptions<Value> {
  /** Accepted and without effect: the storage keeps differences by itself. */
  readonly snapshotFrequency?: number;
  /** An empty array unless said otherwise. */
  readonly initialValueFactory?: () => Value;
}

/**
 * Combines all writes of a superstep with the value by one call of a reducer. LangGraph keeps the writes of such a channel
 * in place of its value; here it is saved like any other, and what LangGraph has saved can be read.
 *
 * An `Overwrite` replaces the value, null in it the initial one; other writes of the superstep do not count.
 */
export class DeltaChannel<Value = unknown, Update = unknown> extends SingleValueChannel<
  Value,
  Update | OverwriteUpdate<Value>
> {
  override readonly lc_graph_name = "DeltaChannel";
  override readonly isTransient = false;
  readonly reducer: DeltaReducer<Value, Update>;
  readonly snapshotFrequency: number;
  readonly initialValueFactory: () => Value;

  constructor(reducer: DeltaReducer<Value, Update>, options: DeltaChannelOptions<Value> = {}) {
    super();
    const { snapshotFrequency = 100 } = options;
    if (!Number.isInteger(snapshotFrequency) || snapshotFrequency < 1) {
      throw new InvalidArgumentError(
        "invalid_snapshot_frequency",
        `snapshotFrequency has to be a whole number of at least 1, not ${snapshotFrequency}.`,
      );
    }
    this.reducer = reducer;
    this.snapshotFrequency = snapshotFrequency;
    // Without a factory, a `Value` is a list by the contract of this class.
    this.initialValueFactory = options.initialValueFactory ?? (() => [] as unknown as Value);
    this.value = this.initialValueFactory();
  }

  protected override fresh(): DeltaChannel<Value, Update> {
    const { snapshotFrequency, initialValueFactory } = this;
    return new DeltaChannel(this.reducer, { snapshotFrequency, initialValueFactory });
  }

  protected override restore(
    saved: Value | typeof EMPTY,
    adopt: Adopt,
  ): SingleValueChannel<Value, Update | OverwriteUpdate<Value>> {
    return super.restore(snapshotValue(saved), adopt);
  }

  /** The channel after writes that LangGraph has kept in place of a value: the last Overwrite among them begins anew. */
  replay(writes: readonly (Update | OverwriteUpdate<Value>)[], adopt: Adopt = keep): void {
    const start = writes.findLastIndex((write) => isOverwrite(write));
    if (start >= 0) this.update(writes.slice(start, start + 1), adopt);
    this.update(writes.slice(start + 1), adopt);
  }

  override update(writes: readonly (Update | OverwriteUpdate<Value>)[], adopt: Adopt = keep): boolean {
    if (writes.length === 0) return false;
    const overwrites = writes.filter((write) => isOverwrite<Value>(write));
    const [overwrite, ...others] = overwrites;
    if (others.length > 0) {
      throw new InvalidUpdateError(
        "A superstep takes only one Overwrite of a channel. Let a single node return it.",
      );
    }
    if (overwrite !== undefined)
      this.value = adopt(overwriteOf(overwrite).value ?? this.initialValueFactory());
    else this.value = adopt(this.reducer(this.get(), writes.filter(isUpdate<Value, Update>)), this.value);
    return true;
  }

  override equals(other: BaseChannel): boolean {
    return other instanceof DeltaChannel && other.reducer === this.reducer;
  }
}

function isUpdate<Value, Update>(write: Update | OverwriteUpdate<Value>): write is Update {
  return !isOverwrite(write);
}
