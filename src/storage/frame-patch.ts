import { isObject, isPlainObject } from "../values/containers.ts";
import type { PackedFrame } from "./packed-frame.ts";
import type { Change } from "./patch/change.ts";
import { diff, write, writeSmall } from "./patch/diff.ts";
import type { DiffContext } from "./patch/differ.ts";
import { diffRecord } from "./patch/record.ts";
import type { PartComparison } from "./patch/part-comparison.ts";
import { weigh } from "./patch/weigh.ts";

/** How a frame becomes the next one. Undefined when they are equal. */
export function diffFrames(old: PackedFrame, next: PackedFrame): Change | undefined {
  return byContent.compare(old, next);
}

/** Frames are records of records of versions, in which nothing is shared and nothing large: what differs is all there is to find. */
const byContent: PartComparison = {
  compare(old, next) {
    if (Object.is(old, next)) return undefined;
    if (isPlainObject(old) && isPlainObject(next)) return diffRecord(byContent, old, next);
    return isObject(next) ? diff(old, next, asItIs).change : writeSmall(old, next, weigh(next)).change;
  },
  add: (next) => write(undefined, next, asItIs).change,
};

const asItIs: DiffContext = { storedForm: (part) => part, shortText: Infinity, isStoredApart: () => false };
