import { isObject } from "../../values/containers.ts";
import { isStandardSchema, type StandardSchema } from "./standard-schema.ts";

/** A schema of an object whose keys can be seen: of zod 3 and 4 by `shape`, of valibot by `entries`. */
export type ObjectSchema = StandardSchema & (HasShape | HasEntries);
interface HasShape {
  readonly shape: object;
}
interface HasEntries {
  readonly entries: object;
}

/** The schemas of an object schema's keys. */
export type ShapeOf<T> = T extends { readonly shape: infer Shape }
  ? Shape
  : T extends { readonly entries: infer Entries }
    ? Entries
    : never;

/** The schemas by key, or undefined when the value is no object schema. */
export function shapeOf(schema: unknown): ReadonlyMap<string, StandardSchema> | undefined {
  if (!isStandardSchema(schema)) return undefined;
  const shape = "shape" in schema ? schema.shape : "entries" in schema ? schema.entries : undefined;
  if (!isObject(shape)) return undefined;
  const fields = new Map<string, StandardSchema>();
  for (const [key, field] of Object.entries(shape)) {
    if (!isStandardSchema(field)) return undefined;
    fields.set(key, field);
  }
  return fields;
}
