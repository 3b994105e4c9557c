import type { DeltaReducer } from "../../channels/delta-channel.ts";
import { hasBrand } from "./brand.ts";
import type { StandardSchema } from "./standard-schema.ts";

export interface DeltaValueInit<Value = unknown, Input = Value> {
  /** Gets all writes of a superstep at once; must give the same for a part of them and then the rest. */
  readonly reducer: DeltaReducer<Value, Input>;
  /** Of one write, where that is not what the key holds. */
  readonly inputSchema?: StandardSchema<unknown, Input>;
  /** Accepted and without effect: the storage keeps differences by itself. */
  readonly snapshotFrequency?: number;
  readonly jsonSchemaExtra?: Readonly<Record<string, unknown>>;
}

const BRAND = "DeltaValue";

/** A key of a `StateSchema` whose writes are combined with its value by a reducer of all of a superstep at once. */
export class DeltaValue<Value = unknown, Input = Value> {
  readonly lc_graph_name = BRAND;
  readonly valueSchema: StandardSchema<unknown, Value>;
  readonly inputSchema: StandardSchema<unknown, Input | Value>;
  readonly reducer: DeltaReducer<Value, Input>;
  readonly snapshotFrequency: number | undefined;
  readonly jsonSchemaExtra: Readonly<Record<string, unknown>> | undefined;
  declare readonly ValueType: Value;
  declare readonly InputType: Input;

  constructor(valueSchema: StandardSchema<unknown, Value>, init: DeltaValueInit<Value, Input>) {
    this.valueSchema = valueSchema;
    this.inputSchema = init.inputSchema ?? valueSchema;
    this.reducer = init.reducer;
    this.snapshotFrequency = init.snapshotFrequency;
    this.jsonSchemaExtra = init.jsonSchemaExtra;
  }

  static isInstance(value: unknown): value is DeltaValue {
    return hasBrand(value, BRAND);
  }
}
