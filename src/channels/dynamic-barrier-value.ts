import { BaseChannel, EMPTY } from "./base.ts";
import {
  isComplete,
  NOT_WAITING,
  waitOrSee,
  type BarrierState,
  type WaitForNames,
} from "./dynamic-barrier.ts";

/**
 * A barrier whose names are written to it, as `{ __names }`. Available, without a value, once all of them were written; the
 * task that it triggers makes it wait for nothing again.
 */
export class DynamicBarrierValue<Name> extends BaseChannel<
  undefined,
  Name | WaitForNames<Name>,
  readonly [names: readonly Name[] | undefined, seen: readonly Name[]]
> {
  override readonly lc_graph_name = "DynamicBarrierValue";
  override readonly isTransient = false;
  #state: BarrierState<Name> = NOT_WAITING;

  protected override restore(
    saved: readonly [names: readonly Name[] | undefined, seen: readonly Name[]] | typeof EMPTY,
  ): DynamicBarrierValue<Name> {
    const channel = new DynamicBarrierValue<Name>();
    if (saved !== EMPTY) {
      const [names, seen] = saved;
      channel.#state = { names: names && new Set(names), seen: new Set(seen) };
    }
    return channel;
  }

  override checkpoint(): readonly [names: readonly Name[] | undefined, seen: readonly Name[]] {
    const { names, seen } = this.#state;
    return [names && [...names], [...seen]];
  }

  override update(writes: readonly (Name | WaitForNames<Name>)[]): boolean {
    const before = this.#state;
    this.#state = waitOrSee(before, writes);
    return this.#state !== before;
  }

  override get(): undefined {
    return this.isAvailable() ? undefined : this.empty();
  }

  override isAvailable(): boolean {
    return isComplete(this.#state);
  }

  override consume(): boolean {
    if (!this.isAvailable()) return false;
    this.#state = NOT_WAITING;
    return true;
  }
}
