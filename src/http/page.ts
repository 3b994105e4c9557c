import type { Context } from "hono";

interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

/** A page of what was found; the headers say how many there are, and where the next page begins, if there is one. */
export function pageOf<Found>(
  context: Context,
  found: readonly Found[],
  { offset, limit }: PageRequest,
  total = found.length,
): readonly Found[] {
  const end = offset + limit;
  context.header("x-pagination-total", String(total));
  if (found.length > end) context.header("x-pagination-next", String(end));
  return found.slice(offset, end);
}

/** The parts of a thing that are wanted, of those that it has. */
export function selected(thing: Readonly<Record<string, unknown>>, keys: readonly string[]): object {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(thing, key)).map((key) => [key, thing[key]]));
}
