import { isAdopted } from "./adopted.ts";
import { addedKey, addedSymbol, isDate, isPlain } from "./containers.ts";

/** Lists with more holes than so are an index that went wrong: each hole would take the room of a member. */
const MOST_HOLES = 100_000;
/** The keys of longer ones take longer than all else that is done with them. */
const MOST_BYTES = 128;

/** What can be read of every instance of a class, and of nothing that only has its prototype. */
const CONTENTS: readonly (readonly [prototype: object, property: string])[] = [
  [Map.prototype, "size"],
  [Set.prototype, "size"],
  [RegExp.prototype, "source"],
  [URL.prototype, "href"],
];

/**
 * Whether the value is what its class says and no more, so that a copy of its content is the same value. Whatever somebody has
 * put on a list, a Map or bytes would be lost; what only has the prototype of a class has no content. All adopted values are bare.
 */
export function isBare(value: object): boolean {
  if (isAdopted(value) || isPlain(value)) return true;
  if (Array.isArray(value)) return membersOf(value) !== undefined;
  const isLong = ArrayBuffer.isView(value) && value.byteLength > MOST_BYTES;
  const added = isLong ? addedSymbol(value) : addedKey(value);
  return added === undefined && hasContent(value);
}

/** A copy of the members of a list, with `undefined` for holes; undefined for a list that is not bare. */
export function membersOf(list: readonly unknown[]): unknown[] | undefined {
  if (Object.getPrototypeOf(list) !== Array.prototype || addedSymbol(list) !== undefined) return undefined;
  // They are listed, and copied, in a tenth of the time that keys take.
  const members: unknown[] = Object.values(list);
  if (members.length === list.length && !list.includes(undefined))
    // Numbers take less room in a copy of the list itself.
    return typeof members[0] === "number" ? [...list] : members;
  if (list.length - members.length > MOST_HOLES || addedKey(list) !== undefined) return undefined;
  return [...list];
}

function hasContent(value: object): boolean {
  if (value instanceof Date) return isDate(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  const property = CONTENTS.find(([known]) => known === prototype)?.[1];
  try {
    if (property !== undefined) Reflect.get(value, property);
    return !isGivenAway(ArrayBuffer.isView(value) ? value.buffer : value);
  } catch {
    return false;
  }
}

/** Whether the value is a buffer whose bytes somebody else has now. */
function isGivenAway(value: object): boolean {
  return value instanceof ArrayBuffer && value.detached;
}
