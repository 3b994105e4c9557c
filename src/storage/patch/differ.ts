import { Copies } from "../../values/copies.ts";
import { adoptedCopy, isConstant } from "../../values/adopt.ts";
import { knownEnds, rememberTwin, type SharedEnds } from "../../values/shared-ends.ts";
import type { Change } from "./change.ts";
import { Elsewhere, isLookedFor } from "./elsewhere.ts";
import { isObject, isSameLeaf, isSameRecord, kindOf } from "./kind.ts";
import type { Kind } from "./kind.ts";
import { writtenOut } from "./node.ts";
import type { Places } from "./places.ts";
import { diffRecord } from "./record.ts";
import type { PlaceComparison } from "./part-comparison.ts";
import { diffList, diffMap, diffSet } from "./sequences.ts";
import { ownWeight, partsOf, weigh, weightOfPrimitive } from "./weigh.ts";

export interface DiffContext {
  /** The form in which an adopted part is stored, where that is another one; otherwise the part itself. */
  storedForm(part: unknown): unknown;
  /** Texts of up to so many characters have no other form. */
  readonly shortText: number;
  /** Whether the part is bytes that will have another form: nothing is kept of them, so they need not be copied. */
  isStoredApart(part: object): boolean;
  /** Where the objects of the state stand that the patch is one of: what would be written out may be among them. */
  readonly places?: () => Places;
}

/** Bytes of an object that is written out a second time. */
const AGAIN = 3;

/** A change of more bytes is worth a look whether the new value stands elsewhere. */
const LONG_CHANGE = 512;

/** What a new object was found to be: under comparison, changed, on its way to be written out, or written out. */
type Finding = typeof OPEN | typeof CHANGED | typeof WRITING | typeof WRITTEN;

const OPEN: unique symbol = Symbol("open");
const CHANGED: unique symbol = Symbol("changed");
const WRITING: unique symbol = Symbol("writing");
const WRITTEN: unique symbol = Symbol("written");

/**
 * Compares an old value with a new one, both adopted, by identity where it can and by content where it must. The old one
 * is in stored form, the new one as the graph has it.
 *
 * A new object may stand in several places: each is compared with what was there. Only one that contains itself cannot
 * be compared.
 */
export class Differ implements PlaceComparison {
  /** What is written out, as the graph has it. */
  readonly fresh: unknown[] = [];
  /** Whether the comparison met an object that contains itself: it says nothing then. */
  isCyclic = false;
  substitutions = 0;
  refers = false;
  isWeighed = true;
  readonly #context: DiffContext;
  #elsewhere: Elsewhere | undefined;
  readonly #findings = new Map<object, Finding>();
  /** What old objects were found to be, and not to be: nothing is looked at again and again. */
  #equal: Map<object, object> | undefined;
  #unequal: Map<object, unknown> | undefined;
  readonly #copies = new Copies();
  /** Written objects with one in them that contains itself: written out wherever they stand. */
  #looping: Set<object> | undefined;
  /** How often the way through what is written has led back. */
  #loops = 0;
  /** The keys of `#findings` in the order in which they came, so that findings can be taken back. */
  readonly #found: object[] = [];

  constructor(context: DiffContext) {
    this.#context = context;
  }

  /** Undefined when they are equal: the old one stays. `name`: the channel or key under which they stand. */
  compare(old: unknown, next: unknown, name?: string): Change | undefined {
    if (Object.is(old, next)) return undefined;
    if (!isObject(old)) return this.write(old, next, name);
    const stored = this.storedForm(next);
    if (!isObject(stored)) return this.write(old, next, name);
    if (stored === old || isSameLeaf(old, stored)) return this.#keep();
    if (!isObject(next)) return this.write(old, next, name);
    const kind = kindOf(next);
    if (kind === "leaf" || kind !== kindOf(old)) return this.write(old, next, name);
    return this.#compareParts(kind, old, next, name);
  }

  isEqual(old: unknown, next: unknown): boolean {
    if (Object.is(old, next)) return true;
    if (!isObject(old) || this.isKnownToDiffer(old, next)) return false;
    const mark = this.#mark();
    if (this.compare(old, next) === undefined) return true;
    this.#rewind(mark);
    (this.#unequal ??= new Map()).set(old, next);
    return false;
  }

  isSame(old: unknown, next: unknown): boolean {
    if (Object.is(old, next)) return true;
    if (!isObject(old) || this.storedForm(next) !== old) return false;
    return this.isEqual(old, next);
  }

  knownEnds(old: object, next: object): SharedEnds | undefined {
    const known = knownEnds(old, next);
    if (known?.areSame === false) this.#keep();
    return known;
  }

  isKnownToDiffer(old: object, next: unknown): boolean {
    return this.#unequal?.get(old) === next;
  }

  /** The new value, written out in the place of an old one. */
  write(old: unknown, next: unknown, name?: string): Change {
    const change = this.add(next, name);
    return { ...change, growth: change.growth - weigh(old) };
  }

  /** A value that takes no other's place. */
  add(next: unknown, name?: string): Change {
    const elsewhere = this.refer(next, name);
    if (elsewhere !== undefined) return elsewhere;
    const stored = this.storedForm(next);
    const bytes = this.#note(next, stored);
    return { node: writtenOut(stored), value: this.#ownCopy(stored), bytes, growth: bytes, built: 0 };
  }

  /** Undefined where nothing of it stands elsewhere. */
  refer(next: unknown, name: string | undefined): Change | undefined {
    return this.#context.places !== undefined && isLookedFor(next)
      ? this.#search()?.change(next, name)
      : undefined;
  }

  #search(): Elsewhere | undefined {
    const { places } = this.#context;
    return places && (this.#elsewhere ??= new Elsewhere(this, places()));
  }

  storedForm(part: unknown): unknown {
    const canDiffer = typeof part === "string" ? part.length > this.#context.shortText : isObject(part);
    return canDiffer ? this.#context.storedForm(part) : part;
  }

  /** The old part stands for an equal new one. */
  #keep(): undefined {
    this.substitutions++;
    return undefined;
  }

  #compareParts(kind: Kind, old: object, next: object, name: string | undefined): Change | undefined {
    if (this.#equal?.get(old) === next || (kind === "record" && isSameRecord(old, next))) return this.#keep();
    const finding = this.#findings.get(next);
    const isKnown = finding !== undefined;
    if (finding === OPEN || (isKnown && (this.#looping?.has(next) || this.isKnownToDiffer(old, next)))) {
      return this.write(old, next, name);
    }
    const mark = this.#mark();
    this.#find(next, OPEN);
    const change = this.#changeOf(kind, old, next);
    if (change === undefined) {
      (this.#equal ??= new Map()).set(old, next);
      if (finding === undefined) this.#findings.delete(next);
      else this.#findings.set(next, finding);
      return this.#keep();
    }
    (this.#unequal ??= new Map()).set(old, next);
    this.#findings.set(next, CHANGED);
    if (isObject(change.value) && isConstant(next)) rememberTwin(next, change.value);
    const isShorter = weigh(next, change.bytes) > change.bytes;
    const same = change.bytes > LONG_CHANGE ? this.#search()?.same(next) : undefined;
    if (isShorter && same === undefined) return change;
    this.#rewind(mark);
    return same === undefined ? this.write(old, next, name) : { ...same, growth: same.growth - weigh(old) };
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
    if (finding === WRITTEN || finding === WRITING) {
      if (finding === WRITING || this.#looping?.has(part)) this.#loops++;
      return AGAIN;
    }
    if (finding === OPEN) {
      this.isCyclic = true;
      return AGAIN;
    }
    this.#find(part, WRITING);
    const loops = this.#loops;
    let weight = ownWeight(part);
    for (const inner of partsOf(part)) {
      weight += isObject(inner) ? this.#noteObject(inner) : weightOfPrimitive(inner);
    }
    this.#findings.set(part, WRITTEN);
    if (this.#loops > loops) (this.#looping ??= new Set()).add(part);
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
    this.#elsewhere?.forget();
  }

  /** What is kept of a part that could be changed in place, nobody else has. */
  #ownCopy(value: unknown): unknown {
    return adoptedCopy(value, this.#copies, (part) => this.#context.isStoredApart(part));
  }
}
