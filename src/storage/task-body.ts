import type { TaskWrites } from "../checkpoint/pending-writes.ts";
import { UndecodableError } from "../errors.ts";
import { applyPatch } from "./patch/apply.ts";
import type { Budget } from "../checkpoint/serde/budget.ts";
import { ValuePatch } from "./value-patch.ts";

/** How the writes of a task are encoded: the path and, for each write, position, channel and value. */
type PlainBody = readonly [
  path: string,
  writes: readonly (readonly [index: number, channel: string, value: unknown])[],
];

/**
 * The same where some of the values are patches: which of the writes, by their places. In front, where older code has the
 * path: it refuses the row, and takes no patch for a value.
 */
type PatchedBody = readonly [patched: readonly number[], ...PlainBody];

export function toTaskBody({ path, writes }: TaskWrites<unknown>): PlainBody | PatchedBody {
  const patched: number[] = [];
  const rows = writes.map(({ index, channel, value }, place) => {
    if (!(value instanceof ValuePatch)) return [index, channel, value] as const;
    patched.push(place);
    return [index, channel, value.node] as const;
  });
  return patched.length === 0 ? [path, rows] : [patched, path, rows];
}

/** `base`: what the checkpoint has in its channels, in stored form. Without it patches stay what they are. */
export function fromTaskBody(
  body: unknown,
  base?: ReadonlyMap<string, unknown>,
  budget?: Budget,
): TaskWrites<unknown> {
  const [places, path, writes] = patchedBody(body);
  const patched = new Set(places);
  return {
    path,
    writes: writes.map(([index, channel, value], place) => {
      if (!patched.has(place)) return { index, channel, value };
      if (base === undefined) return { index, channel, value: new ValuePatch(value) };
      return { index, channel, value: applyPatch(base.get(channel), value, base, budget) };
    }),
  };
}

function patchedBody(body: unknown): PatchedBody {
  const parts: readonly unknown[] = Array.isArray(body) ? body : [];
  const all = Array.isArray(parts[0]) ? parts : [[], ...parts];
  if (isPatchedBody(all)) return all;
  throw new UndecodableError("a row of writes has another form");
}

function isPatchedBody(parts: readonly unknown[]): parts is PatchedBody {
  const [patched, path, writes] = parts;
  return isPlaces(patched) && typeof path === "string" && Array.isArray(writes);
}

function isPlaces(value: unknown): boolean {
  return Array.isArray(value) && value.every((place) => typeof place === "number");
}
