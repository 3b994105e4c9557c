import { type Adopt, BaseChannel, EMPTY } from "./base.ts";

/** What the channels that hold one value, and save it as it is, have in common. */
export abstract class SingleValueChannel<Value, Update = Value> extends BaseChannel<Value, Update, Value> {
  protected value: Value | typeof EMPTY = EMPTY;

  /** A channel of the same definition with its default content. */
  protected abstract fresh(): SingleValueChannel<Value, Update>;

  protected override restore(saved: Value | typeof EMPTY, adopt: Adopt): SingleValueChannel<Value, Update> {
    const channel = this.fresh();
    const content = saved === EMPTY ? channel.value : saved;
    channel.value = content === EMPTY ? EMPTY : adopt(content);
    return channel;
  }

  override checkpoint(): Value | typeof EMPTY {
    return this.value;
  }

  override get(): Value {
    return this.value === EMPTY ? this.empty() : this.value;
  }

  override isAvailable(): boolean {
    return this.value !== EMPTY;
  }

  /** Keeps the last of the writes; without any, the value stays. True when there was one. */
  protected keepLast(values: readonly Value[], adopt: Adopt): boolean {
    if (values.length === 0) return false;
    this.value = adopt(lastOf(values));
    return true;
  }

  /** Keeps the last of the writes; without any, the channel becomes empty. True when it changed. */
  protected replace(values: readonly Value[], adopt: Adopt): boolean {
    if (values.length > 0) return this.keepLast(values, adopt);
    const changed = this.value !== EMPTY;
    this.value = EMPTY;
    return changed;
  }
}

/** The last of the writes, or `EMPTY`: an `undefined` that was written is not the same as no write. */
export function lastOf<T>(values: readonly T[]): T | typeof EMPTY {
  return values.reduce<T | typeof EMPTY>((_, value) => value, EMPTY);
}
