import { hasBrand } from "./brand.ts";
import type { StandardSchema } from "./standard-schema.ts";

interface ReducedValueOptions<Value> {
  readonly reducer: (current: Value, next: Value) => Value;
  readonly jsonSchemaExtra?: Readonly<Record<string, unknown>>;
}

interface ReducedValueWithInput<Value, Input> {
  /** Of what nodes write, where that is not what the key holds. */
  readonly inputSchema: StandardSchema<unknown, Input>;
  readonly reducer: (current: Value, next: Input) => Value;
  readonly jsonSchemaExtra?: Readonly<Record<string, unknown>>;
}

export type ReducedValueInit<Value = unknown, Input = Value> =
  | ReducedValueOptions<Value>
  | ReducedValueWithInput<Value, Input>;

const BRAND = "ReducedValue";

/**
 * A key of a `StateSchema` whose writes are combined with its value by a reducer. What is written is checked by the
 * input schema; an `Overwrite`, and the default, by the schema of the value.
 */
export class ReducedValue<Value = unknown, Input = Value> {
  readonly lc_graph_name = BRAND;
  readonly valueSchema: StandardSchema<unknown, Value>;
  readonly inputSchema: StandardSchema<unknown, Input | Value>;
  readonly reducer: (current: Value, next: Input) => Value;
  readonly jsonSchemaExtra: Readonly<Record<string, unknown>> | undefined;
  declare readonly ValueType: Value;
  declare readonly InputType: Input;

  constructor(valueSchema: StandardSchema<unknown, Value>, init: ReducedValueWithInput<Value, Input>);
  constructor(valueSchema: StandardSchema<Input, Value>, init: ReducedValueOptions<Value>);
  constructor(
    valueSchema: StandardSchema<unknown, Value>,
    init: { readonly reducer: (current: Value, next: Input) => Value } & Partial<
      Omit<ReducedValueWithInput<Value, Input>, "reducer">
    >,
  ) {
    this.valueSchema = valueSchema;
    this.inputSchema = init.inputSchema ?? valueSchema;
    this.reducer = init.reducer;
    this.jsonSchemaExtra = init.jsonSchemaExtra;
  }

  static isInstance(value: unknown): value is ReducedValue {
    return hasBrand(value, BRAND);
  }
}
