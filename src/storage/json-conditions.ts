import { isPlainObject } from "../values/containers.ts";
import { isWellFormed } from "../checkpoint/serde/text.ts";
import type { SqlInput } from "./sql.ts";

export interface SqlCondition {
  readonly sql: string;
  readonly inputs: readonly SqlInput[];
}

/** Of a path into a column. A statement takes 100 parameters in all. */
const MAX_CONDITIONS = 30;
/** What is nested deeper is not taken for JSON: it may be a cycle. */
const MAX_DEPTH = 32;
/** Keys that a path can quote. */
const QUOTABLE = /^[^"\\\p{Cc}]+$/u;

/**
 * What a column of JSON has to meet so that it may have these properties. What SQL cannot tell, from `undefined` to
 * classes, is left out.
 */
export function conditionsOnJson(
  column: string,
  properties: Readonly<Record<string, unknown>>,
): readonly SqlCondition[] {
  const conditions: SqlCondition[] = [];
  for (const [key, value] of Object.entries(properties)) addProperty("$", key, value);
  return conditions.slice(0, MAX_CONDITIONS);

  function addProperty(parent: string, key: string, value: unknown): void {
    if (QUOTABLE.test(key) && isWellFormed(key)) add(`${parent}."${key}"`, value);
  }

  function add(path: string, value: unknown): void {
    if (conditions.length >= MAX_CONDITIONS) return;
    if (typeof value === "string") {
      if (isWellFormed(value))
        conditions.push({ sql: `json_extract(${column}, ?) = ?`, inputs: [path, value] });
    } else if (typeof value === "number") {
      conditions.push({ sql: `json_extract(${column}, ?) = ?`, inputs: [path, value] });
    } else {
      const type = typeOf(value);
      if (type !== undefined) conditions.push({ sql: `json_type(${column}, ?) = ?`, inputs: [path, type] });
      if (Array.isArray(value)) for (const [index, part] of value.entries()) add(`${path}[${index}]`, part);
      else if (isPlainObject(value))
        for (const [key, part] of Object.entries(value)) addProperty(path, key, part);
    }
  }
}

/** Whether JSON says all that there is to say about the value. */
export function isJson(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case "boolean":
      return true;
    case "string":
      return isWellFormed(value);
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      if (value === null) return true;
      if (depth >= MAX_DEPTH) return false;
      if (Array.isArray(value)) return Object.keys(value).length === value.length && areJson(value, depth);
      return (
        isPlainObject(value) && Object.keys(value).every(isWellFormed) && areJson(Object.values(value), depth)
      );
    default:
      return false;
  }
}

function areJson(values: readonly unknown[], depth: number): boolean {
  return values.every((value) => isJson(value, depth + 1));
}

function typeOf(value: unknown): string | undefined {
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "array";
  return isPlainObject(value) ? "object" : undefined;
}
