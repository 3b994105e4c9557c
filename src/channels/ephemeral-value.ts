import { InvalidUpdateError } from "../graph-errors.ts";
import { type Adopt, keep } from "./base.ts";
import { SingleValueChannel } from "./single-value.ts";

/** Keeps a value for one superstep. With `guard`, several writes in one superstep are refused; without, the last one counts. */
export class EphemeralValue<Value> extends SingleValueChannel<Value> {
  override readonly lc_graph_name = "EphemeralValue";
  readonly guard: boolean;

  constructor(guard = true) {
    super();
    this.guard = guard;
  }

  protected override fresh(): EphemeralValue<Value> {
    return new EphemeralValue(this.guard);
  }

  override update(values: readonly Value[], adopt: Adopt = keep): boolean {
    if (this.guard && values.length > 1) {
      throw new InvalidUpdateError(
        `A guarded EphemeralValue channel takes one value per superstep and got ${values.length}. ` +
          "To keep the last one, make it with guard false.",
        { details: { count: values.length } },
      );
    }
    return this.replace(values, adopt);
  }
}
