import { keysOf } from "../../columns.ts";
import { knownEnds, lengthOf } from "../../values/shared-ends.ts";
import { isObject, kindOf } from "./kind.ts";
import { weigh } from "./weigh.ts";

/** What takes no more is written out: a patch would save next to nothing. */
const SMALL = 512;
/** So many keys, and levels of them, are gone through to see what of a record is still there. */
const FEW = 64;
const LEVELS = 3;

/** Whether it is so large that it is worth looking for what it has in common with what is there. */
export function isHeavy(value: object): boolean {
  return weigh(value, SMALL) > SMALL;
}

/**
 * Whether to look for what a written value has in common with an old one, both adopted. The comparison then takes no longer
 * than to write the value out, and no longer than to write out what is new where it is known what stays. It is not worth it when the old
 * value is long, and the written one what a reducer adds to it.
 */
export function isWorthComparing(old: unknown, next: unknown): boolean {
  if (!isObject(old) || !isObject(next)) return false;
  if (old === next) return true;
  const kind = kindOf(next);
  if (kind === "leaf" || kind !== kindOf(old) || !isHeavy(next)) return false;
  if (isStill(old, next, LEVELS)) return true;
  const weight = weigh(next);
  return weigh(old, 2 * weight) <= 2 * weight;
}

/** Whether it is known, without a look at all of it, that most of the old value is in the new one. */
function isStill(old: object, next: object, levels: number): boolean {
  if (old === next) return true;
  const known = knownEnds(old, next);
  const shared = known === undefined ? 0 : known.head + known.tail;
  if (shared > 0) return 2 * shared >= lengthOf(old);
  if (levels === 0 || kindOf(old) !== "record") return false;
  const keys = keysOf(old);
  return (
    keys.length <= FEW &&
    keys.every((key) => isPartStill(Reflect.get(old, key), Reflect.get(next, key), levels - 1))
  );
}

function isPartStill(old: unknown, next: unknown, levels: number): boolean {
  if (!isObject(old)) return true;
  return (isObject(next) && isStill(old, next, levels)) || weigh(old, SMALL) <= SMALL;
}
