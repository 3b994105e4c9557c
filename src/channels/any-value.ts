import { type Adopt, keep } from "./base.ts";
import { SingleValueChannel } from "./single-value.ts";

/** Keeps the last value of a superstep, on the promise that all writers write the same; empty after one without writes. */
export class AnyValue<Value> extends SingleValueChannel<Value> {
  override readonly lc_graph_name = "AnyValue";

  protected override fresh(): AnyValue<Value> {
    return new AnyValue();
  }

  override update(values: readonly Value[], adopt: Adopt = keep): boolean {
    return this.replace(values, adopt);
  }
}
