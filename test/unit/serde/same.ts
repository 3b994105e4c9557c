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
    if (classOf(left) !== classOf(right)) return `${path}: prototypes`;
    const [bytes, otherBytes] = [bytesOf(left), bytesOf(right)];
    if (bytes !== undefined && otherBytes !== undefined) return differenceOfBytes(bytes, otherBytes, path);
    return (
      this.#compareInside(insideOf(left), insideOf(right), path) ??
      this.#compareOwn(left, ownKeys(left), right, ownKeys(right), path)
    );
  }

  #compareInside(before: readonly unknown[], after: readonly unknown[], path: string): string | undefined {
    if (before.length !== after.length) return `${path}: ${before.length} and ${after.length} parts inside`;
    for (let index = 0; index < before.length; index++) {
      const found = this.compare(before[index], after[index], `${path}.(${index})`);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #compareOwn(
    left: object,
    keys: readonly string[],
    right: object,
    others: readonly string[],
    path: string,
  ): string | undefined {
    if (keys.length !== others.length) return `${path}: ${keys.length} and ${others.length} parts`;
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] ?? "";
      if (key !== others[index]) return `${path}: keys ${key}, ${String(others[index])}`;
      const found = this.compare(ownPart(left, key), ownPart(right, key), `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Of an adopted Date another one stands between, which locks it. */
function classOf(value: object): unknown {
  return value instanceof Date ? value.constructor : Object.getPrototypeOf(value);
}

/** Of what is nothing but bytes. */
function bytesOf(value: object): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : undefined;
}

function differenceOfBytes(left: Uint8Array, right: Uint8Array, path: string): string | undefined {
  if (left.length !== right.length) return `${path}: ${left.length} and ${right.length} bytes`;
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at < 0 ? undefined : `${path}: byte ${at}`;
}

/** What a value has that is no property. */
function insideOf(value: object): readonly unknown[] {
  if (value instanceof Map) return [...value].flat();
  if (value instanceof Set) return [...value];
  if (value instanceof Date) return [value.getTime()];
  if (value instanceof RegExp) return [String(value)];
  if (value instanceof URL) return [value.href];
  return NOTHING;
}

/** The order of an error's own properties is not part of it; adopted Maps and Sets have some that lock them. */
function ownKeys(value: object): readonly string[] {
  if (value instanceof Map || value instanceof Set) return NOTHING;
  const names = Object.getOwnPropertyNames(value);
  if (value instanceof RegExp) return names.filter((name) => name !== "lastIndex");
  return value instanceof Error ? names.filter((name) => name !== "stack").toSorted() : names;
}

function ownPart(value: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

const NOTHING: readonly never[] = [];
