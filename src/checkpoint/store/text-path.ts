import { isObject } from "../../values/containers.ts";

/**
 * The texts of a value that a path leads to, for an index. A path has keys, separated by dots, and after them `[n]` (from
 * the end when negative) or `[*]` for elements; `*` stands for all keys, `{a,b}` for several; `$` is the whole value.
 */
export function getTextAtPath(value: unknown, path: string): string[] {
  if (path === "" || path === "$") return [JSON.stringify(value, null, 2)];
  return textsAt(value, tokenizePath(path));
}

/** The steps of a path. */
export function tokenizePath(path: string): string[] {
  if (path === "") return [];
  const tokens: string[] = [];
  for (const [token] of path.matchAll(/\[[^\]]*\]|\{[^}]*\}|[^.[\]{}]+/g)) tokens.push(token);
  return tokens;
}

function textsAt(value: unknown, [token, ...rest]: readonly string[]): string[] {
  if (token === undefined) return textOf(value);
  return partsAt(value, token).flatMap((part) => textsAt(part, rest));
}

function partsAt(value: unknown, token: string): readonly unknown[] {
  if (!isObject(value)) return [];
  if (token.startsWith("[")) return elementsAt(value, token.slice(1, -1).trim());
  const keys = token.startsWith("{") ? token.slice(1, -1).split(",") : [token];
  if (token === "*") return Object.values(value);
  return keys
    .map((key) => key.trim())
    .filter((key) => Object.hasOwn(value, key))
    .map((key) => Reflect.get(value, key) as unknown);
}

function elementsAt(value: object, index: string): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  if (index === "*") return value;
  const element: unknown = value.at(Number(index));
  return element === undefined ? [] : [element];
}

function textOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  return value === undefined || value === null ? [] : [JSON.stringify(value, null, 2)];
}
