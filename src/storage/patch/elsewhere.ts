import { isWhollyAdopted } from "../../values/adopt.ts";
import { keysOf } from "../../columns.ts";
import type { Change } from "./change.ts";
import type { PlaceComparison } from "./part-comparison.ts";
import { isObject, kindOf } from "./kind.ts";
import { ELSEWHERE, wholeOf } from "./node.ts";
import type { Place, Places } from "./places.ts";
import { newRecord } from "./record.ts";
import { newList } from "./sequences.ts";
import { weigh } from "./weigh.ts";
import { isHeavy, isWorthComparing } from "./worth.ts";

/** An object stands there, or one that it came of. */
interface At {
  readonly place: Place;
  readonly isSame: boolean;
}

/** What was found of one that would be written out: where it stands, or that parts of it stand somewhere. */
type Found = At | { readonly place?: undefined };

/** So far it is looked into what would be written out: the arguments of a Send are two levels down, what they hold is three. */
const LEVELS = 4;
/** Of longer records and lists no part is looked for. */
const MOST_KEYS = 64;
const MOST_MEMBERS = 4096;

/** Bytes of a reference without its path, and of a step in the path. */
const NODE = 4;
const STEP = 2;

/** What is small is written out wherever it stands, and what leads back to itself. */
export function isLookedFor(part: unknown): part is object {
  return isObject(part) && isWhollyAdopted(part) && isHeavy(part);
}

/**
 * Finds what a state has elsewhere of objects that would be written out: by identity, or under the same name with most of it
 * in common. A graph inside a node, and a Send, have lists of the graph around them so.
 */
export class Elsewhere {
  readonly #differ: PlaceComparison;
  readonly #places: Places;
  readonly #found = new Map<object, Found | undefined>();
  /** What is said of them, by object: it is made, stored and read once. */
  readonly #changes = new Map<object, Change>();
  /** Being compared with what stands at a place. */
  readonly #compared = new Set<object>();
  /** What stands at a place and was weighed for what refers to it. */
  readonly #weighed = new Set<object>();

  constructor(differ: PlaceComparison, places: Places) {
    this.#differ = differ;
    this.#places = places;
  }

  /** Undefined for what is to be written out. `next` is looked for; `name`: under which it comes to stand. */
  change(next: object, name: string | undefined): Change | undefined {
    const known = this.#changes.get(next);
    if (known !== undefined) {
      this.#differ.isWeighed = false;
      return { ...known, built: 0 };
    }
    const found = this.#foundOf(next, [name], 0);
    if (found === undefined || this.#compared.has(next)) return undefined;
    const change = found.place === undefined ? this.#ofParts(next) : this.#ofPlace(found, next);
    if (change !== undefined && wholeOf(change.node) === undefined) this.#changes.set(next, change);
    return change;
  }

  /** What was said is not: something of it was taken back. */
  forget(): void {
    if (this.#weighed.size > 0) this.#differ.isWeighed = false;
    this.#changes.clear();
  }

  #find(next: unknown, names: readonly (string | undefined)[], level: number): Found | undefined {
    return isLookedFor(next) ? this.#foundOf(next, names, level) : undefined;
  }

  #foundOf(next: object, names: readonly (string | undefined)[], level: number): Found | undefined {
    if (this.#found.has(next)) return this.#found.get(next);
    const found = this.#findSame(next) ?? this.#findAlike(next, names, level);
    this.#found.set(next, found);
    return found;
  }

  #findAlike(next: object, names: readonly (string | undefined)[], level: number): Found | undefined {
    const ofParts = () => (this.#holdsFound(next, names, level) ? {} : undefined);
    return Array.isArray(next)
      ? (this.#findNamed(next, names) ?? ofParts())
      : (ofParts() ?? this.#findNamed(next, names));
  }

  /** Where the object itself stands. */
  same(next: object): Change | undefined {
    const found = this.#findSame(next);
    return found && this.#ofPlace(found, next);
  }

  #findSame(next: object): At | undefined {
    const stored = this.#differ.storedForm(next);
    const place = this.#places.of(next) ?? (isObject(stored) ? this.#places.of(stored) : undefined);
    return place && { place, isSame: true };
  }

  #findNamed(next: object, names: readonly (string | undefined)[]): At | undefined {
    for (const name of names) {
      for (const place of name === undefined ? [] : this.#places.named(name)) {
        const { value } = place;
        if (!this.#differ.isKnownToDiffer(value, next) && isWorthComparing(value, next))
          return { place, isSame: false };
      }
    }
    return undefined;
  }

  /** An `Overwrite` has the value under a name of its own: what it is in is looked for under the one before, too. */
  #holdsFound(next: object, [name]: readonly (string | undefined)[], level: number): boolean {
    if (level === LEVELS) return false;
    if (Array.isArray(next)) {
      if (next.length > MOST_MEMBERS) return false;
      // All of them are found here, so that each is looked for once.
      return next.map((part) => this.#find(part, [], level + 1)).some((found) => found !== undefined);
    }
    const keys = kindOf(next) === "record" ? keysOf(next) : [];
    if (keys.length > MOST_KEYS) return false;
    return keys
      .map((key) => this.#find(Reflect.get(next, key), [key, name], level + 1))
      .some((found) => found !== undefined);
  }

  #ofParts(next: object): Change | undefined {
    return Array.isArray(next)
      ? newList(this.#differ, next)
      : newRecord(this.#differ, next as Readonly<Record<string, unknown>>);
  }

  #ofPlace({ place, isSame }: At, next: object): Change {
    const { path, value } = place;
    const change = isSame ? undefined : this.#compare(value, next);
    const growth = this.#weigh(value) + (change?.growth ?? 0);
    if (change !== undefined && wholeOf(change.node) !== undefined) return { ...change, growth };
    this.#differ.refers = true;
    let bytes = NODE + (change?.bytes ?? 0);
    for (const step of path) bytes += STEP + (typeof step === "string" ? step.length : 0);
    return change === undefined
      ? { node: [ELSEWHERE, path], value, bytes, growth, built: 0 }
      : { ...change, node: [ELSEWHERE, path, change.node], bytes, growth };
  }

  #weigh(value: object): number {
    if (this.#weighed.has(value)) this.#differ.isWeighed = false;
    this.#weighed.add(value);
    return this.#differ.isWeighed ? weigh(value) : 0;
  }

  #compare(old: object, next: object): Change | undefined {
    this.#compared.add(next);
    const change = this.#differ.compare(old, next);
    this.#compared.delete(next);
    return change;
  }
}
