import { DeltaValue } from "./delta-value.ts";
import { getJsonSchemaFromSchema, type JsonSchema } from "./json-schema.ts";
import { ReducedValue } from "./reduced-value.ts";
import { isStandardSchema, type StandardSchema } from "./standard-schema.ts";
import { UntrackedValue } from "./untracked-value.ts";

/** Of what a key holds, or of one write to it. */
type Side = "value" | "input";

/** A field of a `StateSchema` as JSON Schema; undefined where its library does not say what it is. */
export function fieldJsonSchema(field: unknown, side: Side): JsonSchema | undefined {
  const schema = getJsonSchemaFromSchema(schemaOf(field, side));
  const extra = isReduced(field) ? field.jsonSchemaExtra : undefined;
  return extra === undefined ? schema : { ...schema, ...extra };
}

export function schemaOf(field: unknown, side: Side): StandardSchema | undefined {
  if (isReduced(field)) return side === "value" ? field.valueSchema : field.inputSchema;
  if (UntrackedValue.isInstance(field)) return field.schema;
  return isStandardSchema(field) ? field : undefined;
}

function isReduced(field: unknown): field is ReducedValue | DeltaValue {
  return ReducedValue.isInstance(field) || DeltaValue.isInstance(field);
}
