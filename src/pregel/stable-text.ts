import { InvalidArgumentError } from "../errors.ts";

/**
 * A text that equal values have in common and others do not, whatever the order of their keys: what a cached result is
 * found by. Throws for cycles, functions and symbols.
 */
export function stableText(value: unknown): string {
  return textOf(value, []);
}

/** Whether two values have the same content. What has no text is like nothing else. */
export function isSameContent(left: unknown, right: unknown): boolean {
  try {
    return stableText(left) === stableText(right);
  } catch (error) {
    if (error instanceof InvalidArgumentError) return false;
    throw error;
  }
}

function textOf(value: unknown, around: readonly object[]): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "bigint":
      return `${value}n`;
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "function":
    case "symbol":
      throw notCacheable(`a ${typeof value}`);
    case "object":
      return value === null ? "null" : objectText(value, around);
    default:
      return String(value);
  }
}

function objectText(value: object, around: readonly object[]): string {
  if (around.includes(value)) throw notCacheable("a cycle");
  const inner = (part: unknown): string => textOf(part, [...around, value]);
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof RegExp || value instanceof URL) return `${nameOf(value)}(${inner(String(value))})`;
  if (value instanceof Map) return `Map[${[...value].map((entry) => inner(entry)).join()}]`;
  if (value instanceof Set) return `Set[${[...value].map(inner).join()}]`;
  if (value instanceof ArrayBuffer) return `ArrayBuffer(${new Uint8Array(value).join()})`;
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return `${nameOf(value)}(${bytes.join()})`;
  }
  const name = nameOf(value);
  const more = value instanceof Error ? { name: value.name, message: value.message, cause: value.cause } : {};
  const entries = Object.entries({ ...more, ...value }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const fields = entries.map(([key, part]) => `${JSON.stringify(key)}:${inner(part)}`).join();
  return `${name === "Object" ? "" : name}{${fields}}`;
}

function nameOf(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null ? "Object" : value.constructor.name;
}

function notCacheable(what: string): InvalidArgumentError {
  return new InvalidArgumentError(
    "not_cacheable",
    `The input of a cached node holds ${what}: give its cachePolicy a keyFunc.`,
  );
}
