import { BaseChannel, EMPTY } from "./base.ts";
import {
  isComplete,
  NOT_WAITING,
  waitOrSee,
  type BarrierState,
  type WaitForNames,
} from "./dynamic-barrier.ts";

type Saved<Name> = readonly [names: readonly Name[] | undefined, seen: readonly Name[], finished: boolean];

/** A dynamic barrier that opens only when all its names were written and nothing else is left to run. */
export class DynamicBarrierValueAfterFinish<Name> extends BaseChannel<
  undefined,
  Name | WaitForNames<Name>,
  Saved<Name>
> {
  override readonly lc_graph_name = "DynamicBarrierValueAfterFinish";
  override readonly isTransient = false;
  #state: BarrierState<Name> = NOT_WAITING;
  #finished = false;

  protected override restore(saved: Saved<Name> | typeof EMPTY): DynamicBarrierValueAfterFinish<Name> {
    const channel = new DynamicBarrierValueAfterFinish<Name>();
    if (saved !== EMPTY) {
      const [names, seen, finished] = saved;
      channel.#state = { names: names && new Set(names), seen: new Set(seen) };
      channel.#finished = finished;
    }
    return channel;
  }

  override checkpoint(): Saved<Name> {
    const { names, seen } = this.#state;
    return [names && [...names], [...seen], this.#finished];
  }

  override update(writes: readonly (Name | WaitForNames<Name>)[]): boolean {
    const before = this.#state;
    this.#state = waitOrSee(before, writes);
    if (this.#state === before) return false;
    this.#finished = false;
    return true;
  }

  override get(): undefined {
    return this.isAvailable() ? undefined : this.empty();
  }

  override isAvailable(): boolean {
    return this.#finished;
  }

  override consume(): boolean {
    if (!this.#finished) return false;
    this.#state = NOT_WAITING;
    this.#finished = false;
    return true;
  }

  override finish(): boolean {
    if (this.#finished || !isComplete(this.#state)) return false;
    this.#finished = true;
    return true;
  }
}
