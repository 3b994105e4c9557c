import { DeltaSnapshot } from "../../../src/checkpoint/delta-snapshot.ts";
import type { Random } from "./random.ts";

/** Makes values of all kinds, and of a value the one that a reducer could have made of it. */
export class Values {
  readonly #random: Random;
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  any(depth = 0): unknown {
    const random = this.#random;
    if (depth > 2 || random.once(2)) return this.leaf();
    const parts = Array.from({ length: random.below(5) }, () => this.any(depth + 1));
    const make: [() => unknown, ...(() => unknown)[]] = [
      () => parts,
      () => Object.fromEntries(parts.map((part, index) => [this.key(index), part])),
      () => new Map(parts.map((part, index) => [random.once(4) ? part : index, part])),
      () => new Set(parts),
      () => ({ first: parts, again: parts }),
      () => {
        const loop: unknown[] = [...parts];
        loop.push({ loop });
        return loop;
      },
    ];
    return random.among(make)();
  }

  leaf(): unknown {
    const number = this.#count++;
    return this.#random.among<unknown>([
      number,
      `text ${number}`,
      -0,
      0,
      Number.NaN,
      0.5,
      null,
      undefined,
      true,
      BigInt(number) ** 5n,
      new Date(number),
      new Uint8Array([number, 1]),
      new URL(`https://example.com/${number}`),
      /a+/gu,
      `long ${number} `.repeat(30),
      `large ${number} `.repeat(400),
      new Uint8Array(5000).fill(number),
      new DeltaSnapshot([number]),
      "\ud800",
    ]);
  }

  key(index: number): string {
    return this.#random.among([`key ${index}`, `${index}`, "__proto__", "constructor", ""]);
  }

  message(): unknown {
    const id = `m${this.#count++}`;
    return {
      id,
      type: this.#random.among(["human", "ai"]),
      content: `says ${id} `.repeat(this.#random.below(8)),
      calls: [{ id }],
    };
  }

  /** From none to so many that it pays to store what comes after them as a patch. */
  messages(): unknown[] {
    return Array.from({ length: this.#random.below(15) }, () => this.message());
  }

  /** What comes after a value. Parts are kept, rebuilt, changed, moved, added, repeated and removed. */
  next(value: unknown, depth = 0): unknown {
    const random = this.#random;
    if (random.once(8)) return rebuilt(value);
    if (random.once(12)) return this.any();
    if (Array.isArray(value)) return this.#nextList(value, depth);
    if (value instanceof Map) return new Map(this.#nextEntries([...value], depth));
    if (value instanceof Set) return new Set(this.#nextList([...value], depth));
    if (isPlain(value)) {
      const entries = this.#nextEntries(Object.entries(value), depth).map(([key, part]) => [
        String(key),
        part,
      ]);
      return Object.fromEntries(entries);
    }
    return random.once(2) ? value : this.leaf();
  }

  #nextEntries(entries: [unknown, unknown][], depth: number): [unknown, unknown][] {
    const random = this.#random;
    const next = entries.map(([key, part]): [unknown, unknown] => {
      return [key, random.once(3) && depth < 4 ? this.next(part, depth + 1) : part];
    });
    if (random.once(3)) next.splice(random.below(next.length + 1), random.below(2));
    if (random.once(3)) next.push([this.key(next.length), this.any(2)]);
    if (random.once(6)) next.reverse();
    if (random.once(8) && next[0] !== undefined) next.push(["moved", next[0][1]]);
    return next;
  }

  #nextList(list: readonly unknown[], depth: number): unknown[] {
    const random = this.#random;
    const next = [...list];
    const at = random.below(next.length + 1);
    switch (random.below(8)) {
      case 0:
        next.splice(at, 1 + random.below(3));
        break;
      case 1:
        next.splice(at, 0, this.any(1));
        break;
      case 2:
        next.push(...next.splice(0, at));
        break;
      case 3:
        if (at < next.length && depth < 4) next[at] = this.next(next[at], depth + 1);
        break;
      case 4:
        if (at < next.length) next.push(next[at]);
        break;
      case 5:
        return next.map((part) => (isPlain(part) ? { ...part } : part));
      default:
        next.push(this.message());
    }
    return next;
  }
}

/** Equal, of new objects; what is shared stays shared. */
function rebuilt(value: unknown, done = new Map<unknown, unknown>()): unknown {
  if (done.has(value)) return done.get(value);
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    done.set(value, list);
    for (const part of value) list.push(rebuilt(part, done));
    return list;
  }
  if (value instanceof Map) {
    const map = new Map<unknown, unknown>();
    done.set(value, map);
    for (const [key, part] of value) map.set(rebuilt(key, done), rebuilt(part, done));
    return map;
  }
  if (!isPlain(value)) return value;
  const record: Record<string, unknown> = { ...value };
  done.set(value, record);
  for (const key of Object.keys(record)) record[key] = rebuilt(record[key], done);
  return record;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
