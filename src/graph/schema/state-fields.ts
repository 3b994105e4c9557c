import type { BaseChannel } from "../../channels/base.ts";
import type { OverwriteUpdate } from "../../channels/overwrite.ts";
import type { DeltaValue } from "./delta-value.ts";
import type { ReducedValue } from "./reduced-value.ts";
import type { InputOf, OutputOf, StandardSchema } from "./standard-schema.ts";
import type { UntrackedValue } from "./untracked-value.ts";

/** What may be a field of a `StateSchema`. */
export type StateSchemaField = StandardSchema | UntrackedValue | AnyReducedValue | AnyDeltaValue;
// A reducer takes what it is written for: its parameters cannot be `unknown` here.
type AnyReducedValue = Omit<ReducedValue, "reducer"> & { readonly reducer: (...values: never) => unknown };

type AnyDeltaValue = Omit<DeltaValue, "reducer"> & { readonly reducer: (...values: never) => unknown };

export type StateSchemaFields = Readonly<Record<string, StateSchemaField>>;

/** The channel of a field, as far as types go. */
export type FieldToChannel<Field> =
  Field extends ReducedValue<infer Value, infer Input>
    ? BaseChannel<Value, OverwriteUpdate<Value> | Input>
    : Field extends DeltaValue<infer Value, infer Input>
      ? BaseChannel<Value, OverwriteUpdate<Value> | Input>
      : Field extends UntrackedValue<infer Value>
        ? BaseChannel<Value, Value>
        : Field extends StandardSchema
          ? BaseChannel<OutputOf<Field>, InputOf<Field>>
          : never;

export type FieldsToStateDefinition<Fields> = { readonly [K in keyof Fields]: FieldToChannel<Fields[K]> };
