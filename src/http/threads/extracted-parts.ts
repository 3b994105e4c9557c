import { isRecord } from "../../values/containers.ts";

/** Parts of a thread by the paths to them, under the names that a search gives them; null where there is nothing. */
export function extractedFrom(
  thread: unknown,
  paths: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, partAt(thread, path)]));
}

/** Keys stand behind periods, positions in brackets: those below 0 count from the end. */
function partAt(thread: unknown, path: string): unknown {
  let part = thread;
  for (const [, key = "", position] of path.matchAll(/([^.[\]]+)|\[(-?\d+)\]/g))
    part = position === undefined ? memberOf(part, key) : elementOf(part, Number(position));
  return part ?? null;
}

function memberOf(part: unknown, key: string): unknown {
  return isRecord(part) && Object.hasOwn(part, key) ? part[key] : undefined;
}

function elementOf(part: unknown, position: number): unknown {
  return Array.isArray(part) ? part.at(position) : undefined;
}
