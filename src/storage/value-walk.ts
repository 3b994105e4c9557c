import { mapColumns, setMembers } from "../columns.ts";
import { isBare } from "../values/bare.ts";
import { isContainer, isList, isMap, isObject, isPlain } from "../values/containers.ts";
import { adoptOwned, adoptReplaced, isAdopted } from "../values/adopt.ts";

/** A leaf that was looked for is in the value. */
export const FOUND = 1;
/** The value, or a part of it, may change later: it is not adopted, or is of a class that only its owner can copy. */
export const MUTABLE = 2;

/** What a walk has seen. Several values may share one, so that parts they have in common stay common. */
export interface Findings {
  /** How many parts were looked at. */
  count: number;
  readonly leaves: Set<unknown>;
  readonly seen: Map<object, number>;
  /** Of lists, where the members stand that have flags. */
  readonly places: Map<object, readonly number[]>;
  /** Parts whose replacement is known from before; the walk does not enter them. */
  readonly known: WeakMap<object, object>;
}

/** A part with no more parts than so is looked through again in less time than it takes to remember that it was. */
const FEW = 16;

/** Values nested deeper are left to the serializer, which refuses them with their path. */
const MAX_DEPTH = 1000;

export function noFindings(known: WeakMap<object, object> = new WeakMap()): Findings {
  return { count: 0, leaves: new Set(), seen: new Map(), places: new Map(), known };
}

/**
 * Looks for leaves of one kind in arrays, plain objects, Maps and Sets. An adopted part without any, unless it is small, is remembered and
 * not entered again, so the cost of looking is that of what is new. `isWithout` knows of parts that they need not be entered.
 */
export class LeafFinder {
  readonly #settled = new WeakSet<object>();
  readonly #isWithout: (part: object) => boolean;

  constructor(isWithout: (part: object) => boolean = () => false) {
    this.#isWithout = isWithout;
  }

  /** The flags of the value. */
  find(value: unknown, isLeaf: (part: unknown) => boolean, findings: Findings, depth = 0): number {
    const canHold = isObject(value);
    if (canHold && this.#isWithout(value)) return 0;
    if (canHold && findings.known.has(value)) return FOUND;
    if (isLeaf(value)) {
      findings.leaves.add(value);
      return FOUND;
    }
    if (!canHold || this.#settled.has(value)) return 0;
    const seen = findings.seen.get(value);
    if (seen !== undefined) return seen;
    const before = findings.count;
    // Until its flags are known, a part that leads back to this value counts as mutable: a cycle is never settled.
    findings.seen.set(value, MUTABLE);
    let flags = isAdopted(value) ? 0 : MUTABLE;
    if (depth < MAX_DEPTH) {
      const parts = partsOf(value);
      findings.count += parts.length;
      const places: number[] = [];
      // By index: what is frozen is read by an iterator in twice the time.
      for (let index = 0; index < parts.length; index++) {
        const found = this.find(parts[index], isLeaf, findings, depth + 1);
        if (found !== 0) places.push(index);
        flags |= found;
      }
      if (parts === value) findings.places.set(value, places);
    } else {
      flags = MUTABLE;
    }
    findings.seen.set(value, flags);
    if (flags === 0 && findings.count - before > FEW) this.#settled.add(value);
    return flags;
  }
}

/** Builds values anew with other leaves. What has none of them keeps its identity, unless it is mutable. */
export class LeafReplacer {
  readonly #findings: Findings;
  readonly #replacements: ReadonlyMap<unknown, unknown>;
  readonly #done = new Map<object, object>();

  constructor(findings: Findings, replacements: ReadonlyMap<unknown, unknown>) {
    this.#findings = findings;
    this.#replacements = replacements;
  }

  replace(value: unknown): unknown {
    if (this.#replacements.has(value)) return this.#replacements.get(value);
    if (!isObject(value)) return value;
    const { seen, known } = this.#findings;
    const flags = seen.get(value) ?? 0;
    if (flags === 0 || !canBeBuilt(value)) return known.get(value) ?? value;
    const done = this.#done.get(value);
    if (done !== undefined) return done;
    const isConstant = (flags & MUTABLE) === 0;
    if (isConstant && Array.isArray(value)) return this.#replaceMembers(value);
    const copy = this.#copy(value);
    if (!isConstant) return copy;
    const adopted = adoptOwned(copy);
    this.#done.set(value, adopted);
    return adopted;
  }

  /** The members that stay are not looked at. */
  #replaceMembers(list: readonly unknown[]): object {
    const places = this.#findings.places.get(list) ?? [];
    const others = places.map((place) => adoptOwned(this.replace(list[place])));
    const copy = [...list];
    for (const [index, place] of places.entries()) copy[place] = others[index];
    const adopted = adoptReplaced(copy, list, others);
    this.#done.set(list, adopted);
    return adopted;
  }

  /** Adopted values and what they were replaced with. */
  replaced(): [object, object][] {
    return Array.from(this.#done).filter(([value]) => isAdopted(value));
  }

  #copy(value: object): object {
    if (Array.isArray(value)) {
      const copy: unknown[] = [];
      this.#done.set(value, copy);
      for (const part of value) copy.push(this.replace(part));
      return copy;
    }
    if (value instanceof Map) {
      const copy = new Map<unknown, unknown>();
      this.#done.set(value, copy);
      for (const [key, part] of value) copy.set(this.replace(key), this.replace(part));
      return copy;
    }
    if (value instanceof Set) {
      const copy = new Set<unknown>();
      this.#done.set(value, copy);
      for (const part of value) copy.add(this.replace(part));
      return copy;
    }
    const copy: Record<PropertyKey, unknown> = { ...value };
    this.#done.set(value, copy);
    for (const key of Object.keys(copy)) copy[key] = this.replace(copy[key]);
    return copy;
  }
}

/** Instances of a class, and what has more to it than its parts, are no copies when they are built anew from their parts. */
function canBeBuilt(value: object): boolean {
  return isContainer(value) && isBare(value);
}

function partsOf(value: object): readonly unknown[] {
  if (isPlain(value)) return Object.values(value);
  if (!canBeBuilt(value)) return [];
  if (isList(value)) return value;
  return isMap(value) ? Object.values(mapColumns(value)).flat() : setMembers(value as ReadonlySet<unknown>);
}
