import { isStandardSchema, type StandardSchema } from "./standard-schema.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A JSON Schema of what a schema takes; throws or returns undefined where JSON Schema cannot say it. */
export type JsonSchemaConverter = (schema: StandardSchema) => JsonSchema | undefined;

/** What libraries that know JSON Schema offer beside their check (https://standardschema.dev/json-schema). */
interface SerializableSchema extends StandardSchema {
  readonly "~standard": StandardSchema["~standard"] & {
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => JsonSchema };
  };
}

const converters = new Map<string, JsonSchemaConverter>();

/**
 * Says how schemas of a library are written as JSON Schema, where they do not say it themselves. `vendor` is the library's
 * name in Standard Schema: "valibot", "zod".
 *
 * @example
 * import { toJsonSchema } from "@valibot/to-json-schema";
 * registerJsonSchema("valibot", toJsonSchema);
 */
export function registerJsonSchema(vendor: string, convert: JsonSchemaConverter): void {
  converters.set(vendor, convert);
}

/** Whether a schema can be checked, and says itself what it is as JSON Schema. */
export function isSerializableSchema(schema: unknown): schema is SerializableSchema {
  return isStandardSchema(schema) && "jsonSchema" in schema["~standard"];
}

/** The schema of what may be given, as JSON Schema; undefined where its library does not say it, or cannot. */
export function getJsonSchemaFromSchema(schema: unknown, target = "draft-07"): JsonSchema | undefined {
  if (!isStandardSchema(schema)) return undefined;
  try {
    return isSerializableSchema(schema)
      ? schema["~standard"].jsonSchema.input({ target })
      : converters.get(schema["~standard"].vendor)?.(schema);
  } catch {
    // Libraries throw for what JSON Schema has no word for: functions, transforms, types of the user's own.
    return undefined;
  }
}
