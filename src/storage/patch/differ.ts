import { adoptOwned, handOut, isMutable } from "../../adopt.ts";
import type { Change } from "./change.ts";
import { isObject, isSameLeaf, kindOf } from "./kind.ts";
import type { Kind } from "./kind.ts";
import { writtenOut } from "./node.ts";
import { diffRecord } from "./record.ts";
import { diffList, diffMap, diffSet } from "./sequences.ts";
import { ownWeight, partsOf, weigh, weightOfPrimitive } from "./weigh.ts";

export interface DiffContext {
  /** The form in which an adopted part is stored, where that is another one; otherwise the part itself. */
  storedForm(part: unknown): unknown;
  /** Texts of up to so many characters have no other form. */
  readonly shortText: number;
  /** Objects that the value has, or had before. */
  readonly members: WeakSet<object>;
}

/** What a new object was found to be. */
type Finding =
  /** Under comparison, or changed. */
  | typeof CHANGED
  /** Written out. */
  | typeof WRITTEN
  /** Equal to this old one. */
  | object;

/** Bytes of an object that is written out a second time. */
const AGAIN = 3;

const CHANGED: unique symbol = Symbol("changed");
const WRITTEN: unique symbol = Symbol("written");

/**
 * Compares an old value with a new one, both adopted, by identity where it can and by content where it must. The old one
 * is in stored form, the new one as the graph has it.
 *
 * A new object may stand in several places. What is written out keeps that; an object that is compared cannot be in two
 * places, so those that turn out to be in `conflicts` have to be written out from the start, by another comparison.
 */
export class Differ {
  /** What is written out, as the graph has it. */
  readonly fresh: unknown[] = [];
  readonly conflicts = new Set<object>();
  /** New objects that are old members out of place: they may stand elsewhere too. */
  readonly displaced = new Set<object>();
  /** How often an old part was taken for a new one that is another object. */
  substitutions = 0;
  readonly #context: DiffContext;
  readonly #whole: ReadonlySet<object>;
  readonly #findings = new Map<object, Finding>();
  /** What old objects were found not to be: nothing is looked at again and again on every level above it. */
  readonly #unequal = new Map<object, unknown>();
  /** Containers that had to be made because they keep other parts than the new ones. */
  readonly #made: object[] = [];
  readonly #copies = new Map<object, object>();
  /** The keys of `#findings` in the order in which they came, so that findings can be taken back. */
  readonly #found: object[] = [];

  constructor(context: DiffContext, whole: ReadonlySet<object>) {
    this.#context = context;
    this.#whole = whole;
  }

  /** Undefined when they are equal: the old one stays. */
  compare(old: unknown, next: unknown): Change | undefined {
    if (Object.is(old, next)) return undefined;
    if (!isObject(old)) return this.write(old, next);
    const stored = this.#storedForm(next);
    if (!isObject(stored)) return this.write(old, next);
    if (isObject(next) && this.#whole.has(next)) return this.write(old, next);
    if (stored === old || isSameLeaf(old, stored)) return this.#keep(old, next);
    if (!isObject(next)) return this.write(old, next);
    const kind = kindOf(next);
    if (kind === "leaf" || kind !== kindOf(old)) return this.write(old, next);
    return this.#compareParts(kind, old, next);
  }

  /** Whether they are equal. Leaves no trace when they are not. */
  isEqual(old: unknown, next: unknown): boolean {
    if (Object.is(old, next)) return true;
    if (!isObject(old) || this.#unequal.get(old) === next) return false;
    const mark = this.#mark();
    if (this.compare(old, next) === undefined) return true;
    this.#rewind(mark);
    this.#unequal.set(old, next);
    return false;
  }

  /** Whether the new part is the old one, as far as identity tells. */
  isSame(old: unknown, next: unknown): boolean {
    if (Object.is(old, next)) return true;
    if (!isObject(old) || this.#storedForm(next) !== old) return false;
    return this.isEqual(old, next);
  }

  /** The new value, written out in the place of an old one. */
  write(old: unknown, next: unknown): Change {
    const change = this.add(next);
    return { ...change, growth: change.growth - weigh(old) };
  }

  /** A value that takes no other's place. */
  add(next: unknown): Change {
    const stored = this.#storedForm(next);
    const bytes = this.#note(next, stored);
    return { node: writtenOut(stored), value: this.#ownCopy(stored), bytes, growth: bytes };
  }

  #storedForm(part: unknown): unknown {
    const canDiffer = typeof part === "string" ? part.length > this.#context.shortText : isObject(part);
    return canDiffer ? this.#context.storedForm(part) : part;
  }

  /** The old part stands for an equal new one, which must not become another one elsewhere. */
  #keep(old: object, next: unknown): Change | undefined {
    const finding = isObject(next) ? this.#findings.get(next) : old;
    if (finding === WRITTEN) return this.write(old, next);
    if (isObject(next) && finding === undefined) this.#find(next, old);
    else if (isObject(next) && finding !== old) this.conflicts.add(next);
    this.substitutions++;
    return undefined;
  }

  #compareParts(kind: Kind, old: object, next: object): Change | undefined {
    const finding = this.#findings.get(next);
    if (finding !== undefined) return this.#keep(old, next);
    if (this.#context.members.has(next)) this.displaced.add(next);
    const mark = this.#mark();
    this.#find(next, CHANGED);
    const change = this.#changeOf(kind, old, next);
    if (change === undefined) {
      this.#findings.delete(next);
      return this.#keep(old, next);
    }
    if (weigh(next, change.bytes) > change.bytes) {
      if (isObject(change.value)) this.#made.push(change.value);
      return change;
    }
    this.#rewind(mark);
    return this.write(old, next);
  }

  #changeOf(kind: Kind, old: object, next: object): Change | undefined {
    switch (kind) {
      case "list":
        return diffList(this, old as readonly unknown[], next as readonly unknown[]);
      case "map":
        return diffMap(this, old as ReadonlyMap<unknown, unknown>, next as ReadonlyMap<unknown, unknown>);
      case "set":
        return diffSet(this, old as ReadonlySet<unknown>, next as ReadonlySet<unknown>);
      default:
        return diffRecord(this, old as Record<string, unknown>, next as Record<string, unknown>);
    }
  }

  /** Notes a part that is written out, with all objects in it. Returns about how many bytes it takes. */
  #note(part: unknown, stored: unknown): number {
    if (!isObject(part)) {
      if (typeof part === "string" && part.length > this.#context.shortText) this.fresh.push(part);
      return weigh(stored);
    }
    this.fresh.push(part);
    if (this.#findings.get(part) === WRITTEN) return AGAIN;
    const weight = this.#noteObject(part);
    return stored === part ? weight : weigh(stored);
  }

  #noteObject(part: object): number {
    const finding = this.#findings.get(part);
    if (finding === WRITTEN) return AGAIN;
    if (finding !== undefined) {
      this.conflicts.add(part);
      return AGAIN;
    }
    if (this.#context.members.has(part)) this.displaced.add(part);
    this.#find(part, WRITTEN);
    let weight = ownWeight(part);
    for (const inner of partsOf(part)) {
      weight += isObject(inner) ? this.#noteObject(inner) : weightOfPrimitive(inner);
    }
    return weight;
  }

  #find(object: object, finding: Finding): void {
    this.#findings.set(object, finding);
    this.#found.push(object);
  }

  #mark(): { readonly found: number; readonly fresh: number } {
    return { found: this.#found.length, fresh: this.fresh.length };
  }

  #rewind({ found, fresh }: { readonly found: number; readonly fresh: number }): void {
    while (this.#found.length > found) {
      const object = this.#found.pop();
      if (object !== undefined) this.#findings.delete(object);
    }
    this.fresh.length = fresh;
  }

  /** The objects of the new value become members. */
  settle(): void {
    const { members } = this.#context;
    for (const object of this.#found) members.add(object);
    for (const object of this.#made) members.add(object);
  }

  /** What is kept of a part that could be changed in place, nobody else has. */
  #ownCopy(value: unknown): unknown {
    return isMutable(value) ? adoptOwned(handOut(value, this.#copies)) : value;
  }
}
