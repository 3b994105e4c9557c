import { InvalidUpdateError } from "../graph-errors.ts";
import { BaseChannel, EMPTY } from "./base.ts";

/** Where in its run a superstep is. */
export interface RunPosition {
  /** Of the superstep that runs. */
  readonly step: number;
  /** Of the last checkpoint that the run may get to. */
  readonly stop: number;
}

/**
 * A key of the state that the engine fills in: nodes read it, nobody writes it, and it is neither saved nor part of results.
 * It has a value only while a run is going on.
 */
export class ManagedValue<Value> extends BaseChannel<Value, never, never> {
  override readonly lc_graph_name = "ManagedValue";
  override readonly isTransient = false;
  readonly valueAt: (position: RunPosition) => Value;
  #position: RunPosition | undefined;

  constructor(valueAt: (position: RunPosition) => Value) {
    super();
    this.valueAt = valueAt;
  }

  protected override restore(): ManagedValue<Value> {
    return new ManagedValue(this.valueAt);
  }

  /** Called by the engine before each superstep. */
  moveTo(position: RunPosition): void {
    this.#position = position;
  }

  override checkpoint(): typeof EMPTY {
    return EMPTY;
  }

  override update(writes: readonly never[]): boolean {
    if (writes.length === 0) return false;
    throw new InvalidUpdateError("The value is given by the engine: it cannot be written.");
  }

  override get(): Value {
    return this.#position === undefined ? this.empty() : this.valueAt(this.#position);
  }

  override isAvailable(): boolean {
    return this.#position !== undefined;
  }

  override equals(other: BaseChannel): boolean {
    return other instanceof ManagedValue && other.valueAt === this.valueAt;
  }
}

/** True in the last superstep after which the run can still end well. */
export const IsLastStep: ManagedValue<boolean> = new ManagedValue(({ step, stop }) => step === stop - 1);

/** How many supersteps can follow the running one. */
export const RemainingSteps: ManagedValue<number> = new ManagedValue(({ step, stop }) => stop - step);
