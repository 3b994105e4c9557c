import { isObject } from "../values/containers.ts";

const OVERWRITE = "__overwrite__";

/** All forms of an overwrite: the class, its JSON form, and the form of LangGraph's other languages. */
export type OverwriteUpdate<Value> =
  | { readonly [OVERWRITE]: Value }
  | { readonly type: typeof OVERWRITE; readonly value: Value };

/** Written to a key with a reducer, replaces the value. Other writes to the key in the same superstep do not count. */
export class Overwrite<Value = unknown> {
  readonly lg_name = "Overwrite";
  readonly [OVERWRITE]: Value;

  constructor(value: Value) {
    this[OVERWRITE] = value;
  }

  get value(): Value {
    return this[OVERWRITE];
  }

  toJSON(): { readonly [OVERWRITE]: Value } {
    return { [OVERWRITE]: this[OVERWRITE] };
  }

  static isInstance<Value>(value: unknown): value is Overwrite<Value> {
    return isObject(value) && "lg_name" in value && value.lg_name === "Overwrite";
  }
}

export function isOverwrite<Value>(write: unknown): write is OverwriteUpdate<Value> {
  if (!isObject(write)) return false;
  return OVERWRITE in write || ("type" in write && write.type === OVERWRITE && "value" in write);
}

/** The value that a write replaces the channel's value with, or `undefined` when it is an ordinary write. */
export function overwriteOf<Value>(write: OverwriteUpdate<Value>): { readonly value: Value };
export function overwriteOf(write: unknown): { readonly value: unknown } | undefined;
export function overwriteOf(write: unknown): { readonly value: unknown } | undefined {
  if (!isOverwrite(write)) return undefined;
  return { value: OVERWRITE in write ? write[OVERWRITE] : write.value };
}
