import { BaseChannel, EMPTY } from "./base.ts";
import { knownNames, see } from "./named-barrier.ts";

/** Available, without a value, once all names were written; the task that it triggers resets it. */
export class NamedBarrierValue<Name> extends BaseChannel<undefined, Name, readonly Name[]> {
  override readonly lc_graph_name = "NamedBarrierValue";
  override readonly isTransient = false;
  readonly names: ReadonlySet<Name>;
  #seen: ReadonlySet<Name> = new Set();

  constructor(names: ReadonlySet<Name>) {
    super();
    this.names = names;
  }

  protected override restore(saved: readonly Name[] | typeof EMPTY): NamedBarrierValue<Name> {
    const channel = new NamedBarrierValue(this.names);
    if (saved !== EMPTY) channel.#seen = knownNames(this.names, saved);
    return channel;
  }

  override checkpoint(): readonly Name[] {
    return [...this.#seen];
  }

  override update(written: readonly Name[]): boolean {
    const before = this.#seen;
    this.#seen = see(this.names, before, written);
    return this.#seen !== before;
  }

  override get(): undefined {
    return this.isAvailable() ? undefined : this.empty();
  }

  override isAvailable(): boolean {
    return this.#seen.size === this.names.size;
  }

  override consume(): boolean {
    if (!this.isAvailable()) return false;
    this.#seen = new Set();
    return true;
  }
}
