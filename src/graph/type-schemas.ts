import { isObject } from "../values/containers.ts";
import { acceptsNothing, getSchemaDefaultGetter } from "./schema/default-of.ts";
import { getJsonSchemaFromSchema, type JsonSchema } from "./schema/json-schema.ts";
import { schemaMetaRegistry } from "./schema/meta.ts";
import { shapeOf } from "./schema/object-schema.ts";
import type { StandardSchema } from "./schema/standard-schema.ts";
import { StateSchema } from "./schema/state-schema.ts";

/** The definitions that a graph was built from, as they were given. */
export interface GraphDefinitions {
  readonly state: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly context?: unknown;
}

interface HasDefinitions {
  readonly builder: { readonly definitions: GraphDefinitions };
}

/** The state of a graph as JSON Schema; undefined when its definition has no schemas, as an `Annotation.Root`. */
export function getStateTypeSchema(graph: unknown): JsonSchema | undefined {
  return valueSchema(definitionsOf(graph)?.state);
}

/** What its nodes may return. */
export function getUpdateTypeSchema(graph: unknown): JsonSchema | undefined {
  return updateSchema(definitionsOf(graph)?.state);
}

/** What it may be called with. */
export function getInputTypeSchema(graph: unknown): JsonSchema | undefined {
  const definitions = definitionsOf(graph);
  return updateSchema(definitions?.input ?? definitions?.state);
}

/** What it returns. */
export function getOutputTypeSchema(graph: unknown): JsonSchema | undefined {
  const definitions = definitionsOf(graph);
  return valueSchema(definitions?.output ?? definitions?.state);
}

/** The context that its nodes get. */
export function getConfigTypeSchema(graph: unknown): JsonSchema | undefined {
  return valueSchema(definitionsOf(graph)?.context);
}

function definitionsOf(graph: unknown): GraphDefinitions | undefined {
  return hasDefinitions(graph) ? graph.builder.definitions : undefined;
}

function hasDefinitions(graph: unknown): graph is HasDefinitions {
  if (!isObject(graph) || !("builder" in graph)) return false;
  const { builder } = graph;
  return isObject(builder) && "definitions" in builder;
}

function valueSchema(definition: unknown): JsonSchema | undefined {
  if (StateSchema.isInstance(definition)) return definition.getJsonSchema();
  const shape = shapeOf(definition);
  if (shape === undefined) return undefined;
  const required = [...shape].filter(([, schema]) => isAlwaysThere(schema)).map(([key]) => key);
  return objectSchema(shape, (schema) => schema, required);
}

function updateSchema(definition: unknown): JsonSchema | undefined {
  if (StateSchema.isInstance(definition)) return definition.getInputJsonSchema();
  const shape = shapeOf(definition);
  return (
    shape && objectSchema(shape, (schema) => schemaMetaRegistry.get(schema)?.reducer?.schema ?? schema, [])
  );
}

function objectSchema(
  shape: ReadonlyMap<string, StandardSchema>,
  schemaOf: (property: StandardSchema) => StandardSchema,
  required: readonly string[],
): JsonSchema {
  const properties = [...shape].map(([key, property]): [string, JsonSchema] => {
    const extra = schemaMetaRegistry.get(property)?.jsonSchemaExtra;
    return [key, propertySchema(schemaOf(property), extra)];
  });
  return {
    $schema: DRAFT,
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** Whether a key has a value whatever is given: it must be given, or has a default. */
function isAlwaysThere(schema: StandardSchema): boolean {
  return !acceptsNothing(schema) || getSchemaDefaultGetter(schema) !== undefined;
}

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** A library that cannot say what a key is leaves it open. What the schema says of itself goes before the extra. */
function propertySchema(schema: StandardSchema, extra: JsonSchema = {}): JsonSchema {
  const { $schema: _, ...own } = getJsonSchemaFromSchema(schema, "draft-2020-12") ?? {};
  const { description } = own;
  return { ...own, ...extra, ...(description === undefined ? {} : { description }) };
}
