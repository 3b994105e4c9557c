import { BaseChannel, EMPTY } from "./base.ts";
import { knownNames, see } from "./named-barrier.ts";

/** A barrier that opens only when all names were written and nothing else is left to run. */
export class NamedBarrierValueAfterFinish<Name> extends BaseChannel<
  undefined,
  Name,
  readonly [seen: readonly Name[], finished: boolean]
> {
  override readonly lc_graph_name = "NamedBarrierValueAfterFinish";
  override readonly isTransient = false;
  readonly names: ReadonlySet<Name>;
  #seen: ReadonlySet<Name> = new Set();
  /** True only while all names were seen. */
  #finished = false;

  constructor(names: ReadonlySet<Name>) {
    super();
    this.names = names;
  }

  protected override restore(
    saved: readonly [seen: readonly Name[], finished: boolean] | typeof EMPTY,
  ): NamedBarrierValueAfterFinish<Name> {
    const channel = new NamedBarrierValueAfterFinish(this.names);
    if (saved !== EMPTY) {
      channel.#seen = knownNames(this.names, saved[0]);
      channel.#finished = saved[1] && channel.#isComplete();
    }
    return channel;
  }

  override checkpoint(): readonly [seen: readonly Name[], finished: boolean] {
    return [[...this.#seen], this.#finished];
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
    return this.#finished;
  }

  override consume(): boolean {
    if (!this.isAvailable()) return false;
    this.#seen = new Set();
    this.#finished = false;
    return true;
  }

  override finish(): boolean {
    if (this.#finished || !this.#isComplete()) return false;
    this.#finished = true;
    return true;
  }

  #isComplete(): boolean {
    return this.#seen.size === this.names.size;
  }
}
