import { InvalidUpdateError } from "../graph-errors.ts";
import { type Adopt, type BaseChannel, EMPTY, keep } from "./base.ts";
import { isOverwrite, overwriteOf, type OverwriteUpdate } from "./overwrite.ts";
import { SingleValueChannel } from "./single-value.ts";
import { snapshotValue } from "./snapshot-value.ts";

export type BinaryOperator<Value, Update> = (left: Value, right: Update) => Value;

/**
 * Combines each write with the value by a reducer. Without an initial value, the first write becomes the value: then
 * every `Update` has to be a `Value` too.
 *
 * An `Overwrite` replaces the value; other writes of the superstep do not count, and a second `Overwrite` is refused.
 * An error of the reducer passes through `update` as it is; the value stays.
 */
export class BinaryOperatorAggregate<Value, Update = Value> extends SingleValueChannel<
  Value,
  Update | OverwriteUpdate<Value>
> {
  override readonly lc_graph_name = "BinaryOperatorAggregate";
  override readonly isTransient = false;
  readonly operator: BinaryOperator<Value, Update>;
  readonly initialValueFactory: (() => Value) | undefined;

  constructor(operator: BinaryOperator<Value, Update>, initialValueFactory?: () => Value) {
    super();
    this.operator = operator;
    this.initialValueFactory = initialValueFactory;
    if (initialValueFactory !== undefined) this.value = initialValueFactory();
  }

  protected override restore(
    saved: Value | typeof EMPTY,
    adopt: Adopt,
  ): SingleValueChannel<Value, Update | OverwriteUpdate<Value>> {
    return super.restore(snapshotValue(saved), adopt);
  }

  protected override fresh(): BinaryOperatorAggregate<Value, Update> {
    return new BinaryOperatorAggregate(this.operator, this.initialValueFactory);
  }

  override update(writes: readonly (Update | OverwriteUpdate<Value>)[], adopt: Adopt = keep): boolean {
    if (writes.length === 0) return false;
    let overwrite: { readonly value: Value } | undefined;
    const updates: Update[] = [];
    for (const write of writes) {
      if (!isOverwrite<Value>(write)) {
        updates.push(write);
      } else if (overwrite === undefined) {
        overwrite = overwriteOf(write);
      } else {
        throw new InvalidUpdateError(
          "A superstep takes only one Overwrite of a channel. Let a single node return it.",
        );
      }
    }
    this.value = overwrite === undefined ? this.#reduce(updates, adopt) : adopt(overwrite.value, this.value);
    return true;
  }

  /** The same reducer makes the same channel, whatever the initial value. */
  override equals(other: BaseChannel): boolean {
    return other instanceof BinaryOperatorAggregate && other.operator === this.operator;
  }

  /** What the reducer has just made is its own until it is done: to adopt each of its results would copy long lists anew. */
  #reduce(updates: readonly Update[], adopt: Adopt): Value | typeof EMPTY {
    let value = this.value;
    for (const update of updates) {
      // Without an initial value, an `Update` is a `Value` by the contract of this class.
      value = value === EMPTY ? adopt(update as unknown as Value) : this.operator(value, update);
    }
    return value === EMPTY ? EMPTY : adopt(value, this.value);
  }
}
