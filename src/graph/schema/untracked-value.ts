import { hasBrand } from "./brand.ts";
import type { StandardSchema } from "./standard-schema.ts";

export interface UntrackedValueInit {
  /** Whether several writes in one superstep are refused (the default), or the last one counts. */
  readonly guard?: boolean;
}

const BRAND = "UntrackedValueDefinition";

/** A key of a `StateSchema` that lives as long as the run is in memory, and is never saved. */
export class UntrackedValue<Value = unknown> {
  readonly lc_graph_name = BRAND;
  readonly schema: StandardSchema<unknown, Value> | undefined;
  readonly guard: boolean;
  declare readonly ValueType: Value;

  constructor(schema?: StandardSchema<unknown, Value>, init: UntrackedValueInit = {}) {
    this.schema = schema;
    this.guard = init.guard ?? true;
  }

  static isInstance(value: unknown): value is UntrackedValue {
    return hasBrand(value, BRAND);
  }
}
