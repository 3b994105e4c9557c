import { type Adopt, BaseChannel, EMPTY, keep } from "./base.ts";
import { lastOf } from "./single-value.ts";

/** Holds back the last value until nothing else is left to run; reading it through a task empties the channel. */
export class LastValueAfterFinish<Value> extends BaseChannel<
  Value,
  Value,
  readonly [value: Value, finished: boolean]
> {
  override readonly lc_graph_name = "LastValueAfterFinish";
  override readonly isTransient = false;
  #value: Value | typeof EMPTY = EMPTY;
  /** True only while there is a value. */
  #finished = false;

  protected override restore(
    saved: readonly [value: Value, finished: boolean] | typeof EMPTY,
    adopt: Adopt,
  ): LastValueAfterFinish<Value> {
    const channel = new LastValueAfterFinish<Value>();
    if (saved !== EMPTY) {
      channel.#value = adopt(saved[0]);
      channel.#finished = saved[1];
    }
    return channel;
  }

  override checkpoint(): readonly [value: Value, finished: boolean] | typeof EMPTY {
    return this.#value === EMPTY ? EMPTY : [this.#value, this.#finished];
  }

  override update(values: readonly Value[], adopt: Adopt = keep): boolean {
    if (values.length === 0) return false;
    this.#value = adopt(lastOf(values));
    this.#finished = false;
    return true;
  }

  override get(): Value {
    return this.#finished && this.#value !== EMPTY ? this.#value : this.empty();
  }

  override isAvailable(): boolean {
    return this.#finished;
  }

  override consume(): boolean {
    if (!this.#finished) return false;
    this.#value = EMPTY;
    this.#finished = false;
    return true;
  }

  override finish(): boolean {
    if (this.#finished || this.#value === EMPTY) return false;
    this.#finished = true;
    return true;
  }
}
