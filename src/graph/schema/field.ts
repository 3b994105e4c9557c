import { BinaryOperatorAggregate } from "../../channels/binary-operator-aggregate.ts";
import { DeltaChannel } from "../../channels/delta-channel.ts";
import { LastValue } from "../../channels/last-value.ts";
import { isOverwrite, overwriteOf } from "../../channels/overwrite.ts";
import { UntrackedValueChannel } from "../../channels/untracked-value.ts";
import type { MaybePromise } from "../../checkpoint/types.ts";
import { GraphValidationError } from "../../graph-errors.ts";
import { getSchemaDefaultGetter } from "./default-of.ts";
import { DeltaValue } from "./delta-value.ts";
import { schemaMetaRegistry } from "./meta.ts";
import { ReducedValue } from "./reduced-value.ts";
import { check, isStandardSchema, type Checked, type StandardSchema } from "./standard-schema.ts";
import type { StateKey } from "./state-keys.ts";
import { UntrackedValue } from "./untracked-value.ts";

/** A field of a `StateSchema` as a key of the state. */
export function fieldKey(name: string, field: unknown): StateKey {
  if (DeltaValue.isInstance(field)) return deltaKey(field);
  if (ReducedValue.isInstance(field)) {
    const { valueSchema, inputSchema, reducer } = field;
    return reducedKey(valueSchema, inputSchema, reducer, getSchemaDefaultGetter(valueSchema));
  }
  if (UntrackedValue.isInstance(field)) return untrackedKey(field);
  if (isStandardSchema(field)) return schemaKey(field, check);
  throw new GraphValidationError(
    `The field "${name}" of the state is neither a schema nor a ReducedValue nor a DeltaValue nor an UntrackedValue.`,
    { details: { channel: name } },
  );
}

/** A key of an object schema: what `withLangGraph` has said of it counts. An `undefined` may always be written. */
export function propertyKey(schema: StandardSchema): StateKey {
  const meta = schemaMetaRegistry.get(schema);
  const initial = getSchemaDefaultGetter(schema) ?? meta?.default;
  if (meta?.reducer !== undefined)
    return reducedKey(schema, meta.reducer.schema ?? schema, meta.reducer.fn, initial);
  return schemaKey(schema, checkOptional, initial);
}

function schemaKey(
  schema: StandardSchema,
  checkWith: (schema: StandardSchema, write: unknown) => MaybePromise<Checked>,
  initial = getSchemaDefaultGetter(schema),
): StateKey {
  return { channel: new LastValue(initial), check: (write) => checkWith(schema, write) };
}

function reducedKey(
  valueSchema: StandardSchema,
  inputSchema: StandardSchema,
  reducer: (current: unknown, next: unknown) => unknown,
  initial: (() => unknown) | undefined,
): StateKey {
  return {
    channel: new BinaryOperatorAggregate(reducer, initial),
    check: (write) => checkReduced(valueSchema, inputSchema, write),
  };
}

function deltaKey({ valueSchema, inputSchema, reducer, snapshotFrequency }: DeltaValue): StateKey {
  const initialValueFactory = getSchemaDefaultGetter(valueSchema);
  return {
    channel: new DeltaChannel(reducer, {
      ...(snapshotFrequency === undefined ? {} : { snapshotFrequency }),
      ...(initialValueFactory === undefined ? {} : { initialValueFactory }),
    }),
    check: (write) => checkReduced(valueSchema, inputSchema, write),
  };
}

function checkReduced(
  valueSchema: StandardSchema,
  inputSchema: StandardSchema,
  write: unknown,
): MaybePromise<Checked> {
  if (!isOverwrite(write)) return check(inputSchema, write);
  const checked = check(valueSchema, overwriteOf(write).value);
  return checked instanceof Promise ? checked.then(overwriteAgain) : overwriteAgain(checked);
}

function untrackedKey({ schema, guard }: UntrackedValue): StateKey {
  const initialValueFactory = getSchemaDefaultGetter(schema);
  const channel = new UntrackedValueChannel(
    initialValueFactory === undefined ? { guard } : { guard, initialValueFactory },
  );
  return schema === undefined ? { channel } : { channel, check: (write) => check(schema, write) };
}

function overwriteAgain(checked: Checked): Checked {
  return checked.ok ? { ok: true, value: { __overwrite__: checked.value } } : checked;
}

function checkOptional(schema: StandardSchema, write: unknown): MaybePromise<Checked> {
  const checked = check(schema, write);
  if (write !== undefined) return checked;
  return checked instanceof Promise ? checked.then(orUndefined) : orUndefined(checked);
}

function orUndefined(checked: Checked): Checked {
  return checked.ok ? checked : { ok: true, value: undefined };
}
