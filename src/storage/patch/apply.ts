import { adoptDerived, adoptOwned } from "../../adopt.ts";
import { UndecodableError } from "../../errors.ts";
import { setOwn } from "../../set-own.ts";
import { COPY, INSERT, LIST, MAP, ORDERED_RECORD, PATCH, RECORD, SET, VALUE } from "./node.ts";

/** What a node makes of the old value at its place. The patch is used up: parts of it become parts of the value. */
export function applyPatch(old: unknown, node: unknown): unknown {
  if (!Array.isArray(node)) return adoptOwned(node);
  if (node.length === 0) return old;
  const [type, ...rest] = node as readonly unknown[];
  switch (type) {
    case VALUE:
      return adoptOwned(rest[0]);
    case RECORD:
      return applyRecord(old, rest);
    case ORDERED_RECORD:
      return applyOrderedRecord(old, rest);
    case LIST:
      return applyList(old, rest);
    case SET:
      return applySet(old, rest);
    case MAP:
      return applyMap(old, rest);
    default:
      throw damaged("it has a node of an unknown type");
  }
}

function applyRecord(old: unknown, [removed, ...items]: readonly unknown[]): object {
  const record = recordOf(old);
  const keys = Object.keys(record);
  const result: Record<string, unknown> = { ...record };
  if (Array.isArray(removed)) for (const position of removed) delete result[keyAt(keys, position)];
  for (let index = 0; index < items.length; index += 2) {
    const place = items[index];
    if (typeof place === "string") setOwn(result, place, applyPatch(undefined, items[index + 1]));
    else {
      const key = keyAt(keys, place);
      setOwn(result, key, applyPatch(record[key], items[index + 1]));
    }
  }
  return adoptOwned(result);
}

function applyOrderedRecord(old: unknown, items: readonly unknown[]): object {
  const record = recordOf(old);
  const keys = Object.keys(record);
  const result: Record<string, unknown> = {};
  for (let index = 0; index < items.length; index += 2) {
    const place = items[index];
    const key = typeof place === "string" ? place : keyAt(keys, place);
    setOwn(result, key, applyPatch(typeof place === "string" ? undefined : record[key], items[index + 1]));
  }
  return adoptOwned(result);
}

function applyList(old: unknown, steps: readonly unknown[]): object {
  if (!Array.isArray(old)) throw damaged("it changes a list where there is none");
  const written: unknown[] = [];
  // A frozen list is sliced several times as fast from a copy.
  const members = replay<unknown>([...old], steps, {
    insert: (nodes) => take(written, nodes.map(writtenValue)),
    patch: (member, node) => take(written, [applyPatch(member, node)]),
  });
  return adoptDerived(members, old, written);
}

function applySet(old: unknown, steps: readonly unknown[]): object {
  if (!(old instanceof Set)) throw damaged("it changes a Set where there is none");
  const members = replay<unknown>(Array.from(old), steps, {
    insert: (nodes) => nodes.map(writtenValue),
    patch: (member, node) => [applyPatch(member, node)],
  });
  return adoptOwned(new Set(members));
}

function applyMap(old: unknown, steps: readonly unknown[]): object {
  if (!(old instanceof Map)) throw damaged("it changes a Map where there is none");
  const entries = replay<readonly [unknown, unknown]>(Array.from(old), steps, {
    insert: (nodes) => pairsOf(nodes.map(writtenValue)),
    patch: ([key, value], node) => [[key, applyPatch(value, node)]],
  });
  return adoptOwned(new Map(entries));
}

interface Replay<Member> {
  readonly insert: (nodes: readonly unknown[]) => readonly Member[];
  readonly patch: (member: Member, node: unknown) => readonly Member[];
}

function replay<Member>(
  old: readonly Member[],
  steps: readonly unknown[],
  { insert, patch }: Replay<Member>,
): Member[] {
  let result: Member[] = [];
  for (let index = 0; index < steps.length;) {
    const step = steps[index];
    const first = steps[index + 1];
    if (step === INSERT && Array.isArray(first)) {
      result = append(result, insert(first));
      index += 2;
    } else if (step === COPY) {
      const [from, count] = [positionOf(first), positionOf(steps[index + 2])];
      if (from + count > old.length) throw damaged("it copies what is not there");
      result = append(result, old.slice(from, from + count));
      index += 3;
    } else if (step === PATCH) {
      const position = positionOf(first);
      if (position >= old.length) throw damaged("it changes what is not there");
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

function writtenValue(node: unknown): unknown {
  return applyPatch(undefined, node);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) throw damaged("it changes an object where there is none");
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
