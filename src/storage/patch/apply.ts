import { isObject } from "../../values/containers.ts";
import { adoptDerived, adoptOwned } from "../../values/adopt.ts";
import { UndecodableError } from "../../errors.ts";
import { setOwn } from "../../values/set-own.ts";
import { Budget, ENTRY, MEMBER } from "../../checkpoint/serde/budget.ts";
import { RECORD_ROOM, roomOfMembers } from "./budget.ts";
import {
  COPY,
  ELSEWHERE,
  INSERT,
  KEEP,
  LIST,
  MAP,
  NEW_LIST,
  NEW_RECORD,
  ORDERED_RECORD,
  PATCH,
  RECORD,
  SET,
  VALUE,
} from "./node.ts";
import { partAt } from "./places.ts";

/**
 * What a node makes of the old value at its place. `values`: of the channels of the state that it is a patch of, which it may
 * refer to. The patch is used up: parts of it become parts of the value.
 */
export function applyPatch(
  old: unknown,
  node: unknown,
  values: Values = NOTHING,
  budget = new Budget(),
): unknown {
  return new Application(values, budget).apply(old, node);
}

type Values = ReadonlyMap<string, unknown>;
const NOTHING: Values = new Map();

const EMPTY: readonly unknown[] = adoptOwned([]);
const OPEN: unique symbol = Symbol("open");

class Application {
  readonly #values: Values;
  readonly #budget: Budget;
  /** What was made of nodes that say the same wherever they stand. */
  #made: Map<object, unknown> | undefined;

  constructor(values: Values, budget: Budget) {
    this.#values = values;
    this.#budget = budget;
  }

  apply(old: unknown, node: unknown): unknown {
    if (!Array.isArray(node)) return adoptOwned(node);
    if (node.length === 0) return old;
    const [type, ...rest] = node as readonly unknown[];
    switch (type) {
      case VALUE:
        return adoptOwned(rest[0]);
      case RECORD:
        return this.#record(old, rest);
      case ORDERED_RECORD:
        return this.#orderedRecord(old, rest);
      case LIST:
        return this.#list(old, rest);
      case SET:
        return this.#set(old, rest);
      case MAP:
        return this.#map(old, rest);
      default:
        return this.#once(node, type, rest);
    }
  }

  #once(node: object, type: unknown, rest: readonly unknown[]): unknown {
    const all = (this.#made ??= new Map());
    const known = all.get(node);
    if (known === OPEN) throw damaged("it has a node that contains itself");
    if (known !== undefined) return known;
    all.set(node, OPEN);
    const made = this.#madeOf(type, rest);
    all.set(node, made);
    return made;
  }

  #madeOf(type: unknown, rest: readonly unknown[]): unknown {
    switch (type) {
      case ELSEWHERE: {
        const [path, node = KEEP] = rest;
        const part = partAt(this.#values, path);
        if (part === undefined) throw damaged("it refers to what is not there");
        return this.apply(part, node);
      }
      case NEW_RECORD:
        return this.#orderedRecord({}, rest);
      case NEW_LIST:
        return this.#list(EMPTY, rest);
      default:
        throw damaged("it has a node of an unknown type");
    }
  }

  #record(old: unknown, [removed, ...items]: readonly unknown[]): object {
    const record = recordOf(old);
    const keys = Object.keys(record);
    this.#budget.take(roomOfMembers(keys.length));
    const result: Record<string, unknown> = { ...record };
    if (Array.isArray(removed)) for (const position of removed) delete result[keyAt(keys, position)];
    return this.#filled(result, record, keys, items);
  }

  #orderedRecord(old: unknown, items: readonly unknown[]): object {
    const record = recordOf(old);
    return this.#filled({}, record, Object.keys(record), items);
  }

  #filled(
    result: Record<string, unknown>,
    record: Readonly<Record<string, unknown>>,
    keys: readonly string[],
    items: readonly unknown[],
  ): object {
    this.#budget.take(RECORD_ROOM + roomOfMembers(items.length / 2));
    for (let index = 0; index < items.length; index += 2) {
      const place = items[index];
      const isNew = typeof place === "string";
      const key = isNew ? place : keyAt(keys, place);
      setOwn(result, key, this.apply(isNew ? undefined : record[key], items[index + 1]));
    }
    return adoptOwned(result);
  }

  #list(old: unknown, steps: readonly unknown[]): object {
    if (!Array.isArray(old)) throw damaged("it changes a list where there is none");
    const written: unknown[] = [];
    // A frozen list is sliced several times as fast from a copy.
    const members = replay<unknown>(this.#budget, [...old], steps, {
      cost: MEMBER,
      insert: (nodes) => take(written, this.#written(nodes)),
      patch: (member, node) => take(written, [this.apply(member, node)]),
    });
    return adoptDerived(members, old, written);
  }

  #set(old: unknown, steps: readonly unknown[]): object {
    if (!(old instanceof Set)) throw damaged("it changes a Set where there is none");
    const members = replay<unknown>(this.#budget, Array.from(old), steps, {
      cost: ENTRY,
      insert: (nodes) => this.#written(nodes),
      patch: (member, node) => [this.apply(member, node)],
    });
    return adoptOwned(new Set(members));
  }

  #map(old: unknown, steps: readonly unknown[]): object {
    if (!(old instanceof Map)) throw damaged("it changes a Map where there is none");
    const entries = replay<readonly [unknown, unknown]>(this.#budget, Array.from(old), steps, {
      cost: ENTRY,
      insert: (nodes) => pairsOf(this.#written(nodes)),
      patch: ([key, value], node) => [[key, this.apply(value, node)]],
    });
    return adoptOwned(new Map(entries));
  }

  #written(nodes: readonly unknown[]): readonly unknown[] {
    return nodes.map((node) => this.apply(undefined, node));
  }
}

interface Replay<Member> {
  /** Of a member. */
  readonly cost: number;
  readonly insert: (nodes: readonly unknown[]) => readonly Member[];
  readonly patch: (member: Member, node: unknown) => readonly Member[];
}

function replay<Member>(
  budget: Budget,
  old: readonly Member[],
  steps: readonly unknown[],
  { cost, insert, patch }: Replay<Member>,
): Member[] {
  let result: Member[] = [];
  budget.take(ENTRY);
  for (let index = 0; index < steps.length;) {
    const step = steps[index];
    const first = steps[index + 1];
    if (step === INSERT && Array.isArray(first)) {
      budget.take(cost * first.length);
      result = append(result, insert(first));
      index += 2;
    } else if (step === COPY) {
      const [from, count] = [positionOf(first), positionOf(steps[index + 2])];
      if (from + count > old.length) throw damaged("it copies what is not there");
      budget.take(cost * count);
      result = append(result, old.slice(from, from + count));
      index += 3;
    } else if (step === PATCH) {
      const position = positionOf(first);
      if (position >= old.length) throw damaged("it changes what is not there");
      budget.take(cost);
      result = append(result, patch(old[position] as Member, steps[index + 2]));
      index += 3;
    } else {
      throw damaged("it has a step of an unknown type");
    }
  }
  return result;
}

/** The first part is taken as it is: it may be long, and is a copy already. */
function append<Member>(result: Member[], members: readonly Member[]): Member[] {
  if (result.length === 0) return members as Member[];
  for (const member of members) result.push(member);
  return result;
}

function take(written: unknown[], members: readonly unknown[]): readonly unknown[] {
  for (const member of members) written.push(member);
  return members;
}

function pairsOf(values: readonly unknown[]): (readonly [unknown, unknown])[] {
  return Array.from({ length: values.length / 2 }, (_, index) => [values[2 * index], values[2 * index + 1]]);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw damaged("it changes an object where there is none");
  return value as Readonly<Record<string, unknown>>;
}

function keyAt(keys: readonly string[], position: unknown): string {
  const key = keys[positionOf(position)];
  if (key === undefined) throw damaged("it names a key that is not there");
  return key;
}

function positionOf(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw damaged("it has no position where one must be");
}

function damaged(problem: string): UndecodableError {
  return new UndecodableError(`${problem}: the patch does not belong to this value`);
}
