import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from "@valibot/to-json-schema";
import type * as v from "valibot";
import { PROPERTIES } from "./properties.ts";

export type { JsonSchema };

const COMMON = {
  target: "draft-2020-12",
  // Functions say nothing in JSON Schema. The only schemas that are functions take objects.
  ignoreActions: ["check", "finite", "safe_integer"],
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    valibotSchema.type === "custom" ? { type: "object" } : withDescriptions(simplified(jsonSchema)),
} as const satisfies ConversionConfig;

export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** As values are sent. Where one of the schemas stands in another, that refers to it by its name. */
export function jsonSchemas(
  schemas: Readonly<Record<string, v.GenericSchema>>,
): Readonly<Record<string, JsonSchema>> {
  return toJsonSchemaDefs(schemas, {
    ...COMMON,
    typeMode: "input",
    ignoreActions: [...COMMON.ignoreActions, "transform"],
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  });
}

/** Of a query: as its parameters are meant, which are sent as text. */
export function querySchema(schema: v.GenericSchema): JsonSchema {
  return toJsonSchema(schema, {
    ...COMMON,
    typeMode: "output",
    overrideAction: ({ valibotAction, jsonSchema }) =>
      valibotAction.type === "transform" ? meantBy(jsonSchema) : undefined,
  });
}

/** What text of this form stands for. */
function meantBy({ pattern, enum: texts, ...schema }: JsonSchema): JsonSchema {
  if (pattern?.startsWith("^\\d")) return { ...schema, type: "integer", minimum: 0 };
  if (texts?.includes("true")) return { ...schema, type: "boolean" };
  return {
    ...schema,
    ...(pattern !== undefined && { pattern }),
    ...(texts !== undefined && { enum: texts }),
  };
}

/** What may be anything may also be null; the default of a parameter that is no text is none either. */
function simplified({ anyOf, ...schema }: JsonSchema): JsonSchema {
  if (anyOf?.some((option) => Object.keys(option).length === 0)) return schema;
  if (anyOf !== undefined) return { ...schema, anyOf };
  const { type, default: given } = schema;
  const isMeant = typeof given === "string" && (type === "integer" || type === "boolean");
  return isMeant ? { ...schema, default: JSON.parse(given) as number | boolean } : schema;
}

/** The same key means the same wherever it stands. */
function withDescriptions(schema: JsonSchema): JsonSchema {
  if (schema.properties === undefined) return schema;
  const properties = Object.entries(schema.properties).map(([key, property]) => {
    const description = PROPERTIES[key];
    const isSaid = typeof property === "boolean" || "description" in property || description === undefined;
    return [key, isSaid ? property : { ...property, description }] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
