import { type Adopt, EMPTY, keep } from "./base.ts";
import { concurrentUpdate } from "./concurrent-update.ts";
import { SingleValueChannel } from "./single-value.ts";

export interface UntrackedValueOptions<Value> {
  /** Whether several writes in one superstep are refused (the default), or the last one counts. */
  readonly guard?: boolean;
  readonly initialValueFactory?: () => Value;
}

/** Keeps the value that was written last for as long as the run is in memory. It is never saved. */
export class UntrackedValueChannel<Value> extends SingleValueChannel<Value> {
  override readonly lc_graph_name = "UntrackedValue";
  override readonly isTransient = false;
  readonly guard: boolean;
  readonly initialValueFactory: (() => Value) | undefined;

  constructor(options: UntrackedValueOptions<Value> = {}) {
    super();
    this.guard = options.guard ?? true;
    this.initialValueFactory = options.initialValueFactory;
    if (this.initialValueFactory !== undefined) this.value = this.initialValueFactory();
  }

  protected override fresh(): UntrackedValueChannel<Value> {
    const { guard, initialValueFactory } = this;
    return new UntrackedValueChannel(
      initialValueFactory === undefined ? { guard } : { guard, initialValueFactory },
    );
  }

  protected override restore(_saved: Value | typeof EMPTY, adopt: Adopt): SingleValueChannel<Value> {
    return super.restore(EMPTY, adopt);
  }

  override checkpoint(): typeof EMPTY {
    return EMPTY;
  }

  override update(values: readonly Value[], adopt: Adopt = keep): boolean {
    if (this.guard && values.length > 1) {
      throw concurrentUpdate(
        `guarded ${this.lc_graph_name}`,
        values.length,
        "To keep the last one, make it with { guard: false }.",
      );
    }
    return this.keepLast(values, adopt);
  }
}
