import { isObject } from "../values/containers.ts";
import { isList } from "../values/contains.ts";
import { sha1 } from "../sha1.ts";
import type { Json } from "../json.ts";

/** One thing that is true of a value, and by which it can be found. */
export interface Leaf {
  readonly path: string;
  readonly value: string;
}

/** Keys of a filter that SQL looks at: a statement takes 100 parameters. */
export const MAX_KEYS = 40;

/** Longer texts, of values and of paths, are kept as their hash, in characters. */
const MAX_TEXT = 200;
/** A step of a path into any element of a list. */
const ELEMENT = 0;

/** Everything that is true of a value: what each of its scalars is, and which of its parts are objects or lists. */
export function leavesOf(root: string, value: Json): readonly Leaf[] {
  return distinct([...walk([root], value)].map(leafOf));
}

/**
 * What has to be true of a value that contains this one: that is all that has, save for lists of lists and of objects (see
 * {@link isExact}). A part that has parts is there when these are.
 */
export function leavesWithin(root: string, value: Json): readonly Leaf[] {
  return distinct(
    [...walk([root], value)].filter((part) => part.path.length > 1 && !hasParts(part.value)).map(leafOf),
  );
}

interface Part {
  readonly path: readonly (string | number)[];
  readonly value: Json;
}

function* walk(path: Part["path"], value: Json): Generator<Part, void, undefined> {
  yield { path, value };
  if (!isObject(value)) return;
  if (isList(value)) for (const element of value) yield* walk([...path, ELEMENT], element);
  else for (const [key, member] of Object.entries(value)) yield* walk([...path, key], member);
}

function leafOf({ path, value }: Part): Leaf {
  return { path: shortened(JSON.stringify(path)), value: textOf(value) };
}

function distinct(leaves: readonly Leaf[]): readonly Leaf[] {
  return [...new Map(leaves.map((leaf) => [JSON.stringify([leaf.path, leaf.value]), leaf])).values()];
}

function hasParts(value: Json): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function textOf(value: Json): string {
  if (isObject(value)) return isList(value) ? "[]" : "{}";
  return shortened(JSON.stringify(value));
}

/** What is no JSON text is a hash. */
function shortened(text: string): string {
  return text.length > MAX_TEXT ? `sha1:${sha1(new Uint8Array(16), text)}` : text;
}

/** Whether leaves alone say what contains the value: two leaves within a list may be those of two different elements. */
export function isExact(value: Json): boolean {
  if (!isObject(value)) return true;
  if (isList(value)) return value.every((element) => !isObject(element));
  return Object.values(value).every(isExact);
}
