import { keysOf } from "../../columns.ts";
import { TASKS } from "../../checkpoint/constants.ts";
import { sequenceNumber } from "../../values/shared-ends.ts";
import { isObject, kindOf } from "./kind.ts";

/** A channel, and keys and positions in its value. */
export type Path = readonly [channel: string, ...keys: (string | number)[]];

/** Where an object stands in a state. */
export interface Place {
  readonly path: Path;
  readonly value: object;
}

/** So far it is looked into values: the arguments of a Send are three levels down. */
const MOST_KEYS = 4;
/** No more parts of one value are looked at. */
const MOST_PARTS = 64;
const MOST_PLACES = 500;
/** Places of one name that are compared with what comes to stand under it, the outermost. */
const MOST_NAMED = 8;

/** Where the objects of a state stand: the values of channels, what is in them under few keys, and what its Sends carry. */
export class Places {
  readonly #values: ReadonlyMap<string, unknown>;
  #index: Index | undefined;

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values;
  }

  /** Where this very object stands, or one that stands for it. */
  of(value: object): Place | undefined {
    const { byValue, byNumber } = (this.#index ??= indexOf(this.#values));
    const number = byNumber.size === 0 ? undefined : sequenceNumber(value);
    return byValue.get(value) ?? (number === undefined ? undefined : byNumber.get(number));
  }

  /** The places that have this name, the outermost first. */
  named(name: string): readonly Place[] {
    return (this.#index ??= indexOf(this.#values)).byName.get(name) ?? [];
  }
}

interface Index {
  readonly byValue: Map<object, Place>;
  /** By what they have in common with their twins. */
  readonly byNumber: Map<number, Place>;
  readonly byName: Map<string, Place[]>;
}

function indexOf(values: ReadonlyMap<string, unknown>): Index {
  const index: Index = { byValue: new Map(), byNumber: new Map(), byName: new Map() };
  const places: Place[] = [];
  for (const [channel, value] of values)
    if (isObject(value) && places.length < MOST_PLACES) places.push({ path: [channel], value });
  // It grows meanwhile: what is in a value comes after all that is as far out as the value.
  for (const place of places) {
    note(index, place);
    if (place.path.length === MOST_KEYS || places.length >= MOST_PLACES) continue;
    for (const part of partsOf(place)) {
      if (places.length >= MOST_PLACES) break;
      places.push(part);
    }
  }
  return index;
}

function note({ byValue, byNumber, byName }: Index, place: Place): void {
  const { path, value } = place;
  if (byValue.has(value)) return;
  byValue.set(value, place);
  const number = sequenceNumber(value);
  if (number !== undefined) byNumber.set(number, place);
  const name = path.at(-1);
  if (typeof name !== "string") return;
  const named = byName.get(name);
  if (named === undefined) byName.set(name, [place]);
  else if (named.length < MOST_NAMED) named.push(place);
}

const known = new WeakMap<ReadonlyMap<string, unknown>, Places>();

/** Of a state whose values do not change any more. */
export function placesIn(values: ReadonlyMap<string, unknown>): Places {
  const found = known.get(values);
  if (found !== undefined) return found;
  const places = new Places(values);
  known.set(values, places);
  return places;
}

/** What stands at a path; undefined when there is nothing. */
export function partAt(values: ReadonlyMap<string, unknown>, path: unknown): object | undefined {
  if (!Array.isArray(path)) return undefined;
  const [channel, ...keys] = path as readonly unknown[];
  let part = typeof channel === "string" ? values.get(channel) : undefined;
  for (const key of keys) {
    if (!isObject(part) || !isKeyOf(part, key)) return undefined;
    part = Reflect.get(part, key);
  }
  return isObject(part) ? part : undefined;
}

function isKeyOf(value: object, key: unknown): key is string | number {
  const type = kindOf(value) === "list" ? "number" : "string";
  return typeof key === type && Object.hasOwn(value, key as string | number);
}

/** Of a list only where it is that of Sends: a state may have many long ones. */
function* partsOf({ path, value }: Place): Generator<Place, void, void> {
  for (const key of keysIn(path, value)) {
    const part: unknown = Reflect.get(value, key);
    if (isObject(part)) yield { path: [...path, key], value: part };
  }
}

function keysIn(path: Path, value: object): readonly (string | number)[] {
  if (Array.isArray(value)) {
    const isOfSends = path.length === 1 && path[0] === TASKS;
    return isOfSends ? Array.from(value.slice(0, MOST_PARTS).keys()) : [];
  }
  const keys = kindOf(value) === "record" ? keysOf(value) : [];
  return keys.length > MOST_PARTS ? [] : keys;
}
