/** Where two values differ, or undefined. They must be alike in every part, in prototypes and in what is shared. */
export function difference(left: unknown, right: unknown): string | undefined {
  return new Comparison(true).compare(left, right, "$");
}

/** The same, but which parts are shared is not compared: only that whatever contains itself does so in both. */
export function loss(left: unknown, right: unknown): string | undefined {
  return new Comparison(false).compare(left, right, "$");
}

class Comparison {
  readonly #pairs = new Map<object, object>();
  readonly #mirrored = new Map<object, object>();
  readonly #isExact: boolean;

  constructor(isExact: boolean) {
    this.#isExact = isExact;
  }

  compare(left: unknown, right: unknown, path: string): string | undefined {
    if (typeof left !== "object" || left === null || typeof right !== "object" || right === null) {
      return Object.is(left, right) ? undefined : `${path}: ${String(left)} and ${String(right)}`;
    }
    if (this.#pairs.has(left) || (this.#isExact && this.#mirrored.has(right))) {
      return this.#pairs.get(left) === right && (!this.#isExact || this.#mirrored.get(right) === left)
        ? undefined
        : `${path}: sharing`;
    }
    this.#pairs.set(left, right);
    this.#mirrored.set(right, left);
    const found = this.#compareParts(left, right, path);
    if (!this.#isExact) this.#pairs.delete(left);
    return found;
  }

  #compareParts(left: object, right: object, path: string): string | undefined {
    if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return `${path}: prototypes`;
    const before = partsOf(left);
    const after = partsOf(right);
    if (before.length !== after.length) return `${path}: ${before.length} and ${after.length} parts`;
    for (const [index, [key, part]] of before.entries()) {
      const [otherKey, otherPart] = after[index] ?? [];
      const found =
        key === otherKey
          ? this.compare(part, otherPart, `${path}.${key}`)
          : `${path}: keys ${key}, ${String(otherKey)}`;
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function partsOf(value: object): [key: string, part: unknown][] {
  return [...innerParts(value), ...ownParts(value)];
}

function innerParts(value: object): [string, unknown][] {
  if (value instanceof Map)
    return [...value].flatMap(([key, part], at) => [
      [`key ${at}`, key],
      [`value ${at}`, part],
    ]);
  if (value instanceof Set) return [...value].map((member, at) => [`member ${at}`, member]);
  if (value instanceof Date) return [["time", value.getTime()]];
  if (value instanceof RegExp) return [["text", String(value)]];
  if (value instanceof URL) return [["href", value.href]];
  if (value instanceof DataView)
    return [["bytes", String(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))]];
  if (value instanceof ArrayBuffer) return [["bytes", String(new Uint8Array(value))]];
  return [];
}

/** The order of an error's own properties is not part of it; adopted Maps and Sets have some that lock them. */
function ownParts(value: object): [string, unknown][] {
  if (value instanceof Map || value instanceof Set) return [];
  const ignored = value instanceof Error ? "stack" : value instanceof RegExp ? "lastIndex" : undefined;
  const keys = Object.getOwnPropertyNames(value).filter((key) => key !== ignored);
  if (value instanceof Error) keys.sort();
  return keys.map((key) => [key, Object.getOwnPropertyDescriptor(value, key)?.value]);
}
