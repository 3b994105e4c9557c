import { type Adopt, keep } from "./base.ts";
import { concurrentUpdate } from "./concurrent-update.ts";
import { SingleValueChannel } from "./single-value.ts";

/** Keeps the value that was written last. Two writes in one superstep have no order that means anything: refused. */
export class LastValue<Value> extends SingleValueChannel<Value> {
  override readonly lc_graph_name = "LastValue";
  override readonly isTransient = false;
  readonly initialValueFactory: (() => Value) | undefined;

  constructor(initialValueFactory?: () => Value) {
    super();
    this.initialValueFactory = initialValueFactory;
    if (initialValueFactory !== undefined) this.value = initialValueFactory();
  }

  protected override fresh(): LastValue<Value> {
    return new LastValue(this.initialValueFactory);
  }

  override update(values: readonly Value[], adopt: Adopt = keep): boolean {
    if (values.length > 1) {
      throw concurrentUpdate(
        this.lc_graph_name,
        values.length,
        "To combine the values of nodes that run in parallel, give the key a reducer: Annotation({ reducer, default }).",
      );
    }
    return this.keepLast(values, adopt);
  }
}
