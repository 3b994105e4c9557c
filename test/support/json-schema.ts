import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import type { OpenApiDocument } from "../../src/openapi/document.ts";

/** By the components of a document and the schema. */
const validators = new WeakMap<object, WeakMap<object, Validator>>();

/** What is wrong with a value by a schema of the document; empty when nothing is. */
export function faultsOf(document: OpenApiDocument, schema: object, value: unknown): readonly OutputUnit[] {
  const { components } = document;
  const known = validators.get(components) ?? new WeakMap<object, Validator>();
  validators.set(components, known);
  const rooted = (): Schema => ({ ...structuredClone(schema), components });
  const validator = known.get(schema) ?? new Validator(rooted(), "2020-12", false);
  known.set(schema, validator);
  return validator.validate(value).errors;
}

/** The document with every object closed: a key that no schema names is a fault. */
export function closed(document: OpenApiDocument): OpenApiDocument {
  return JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    isOpenObject(value) ? { ...value, additionalProperties: false } : value,
  ) as OpenApiDocument;
}

function isOpenObject(value: unknown): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    "properties" in value &&
    "type" in value &&
    !("additionalProperties" in value)
  );
}
