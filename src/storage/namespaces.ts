import type { WriteAddress } from "../checkpoint/address.ts";
import type { NamespaceRow, NamespaceRows } from "./namespace-rows.ts";
import type { SaverCache } from "./saver-cache.ts";

export function findNamespace(
  cache: SaverCache,
  rows: NamespaceRows,
  threadId: string,
  ns: string,
): NamespaceRow | undefined {
  const id = idOf(cache, rows, threadId, ns);
  cache.setNamespaceId(threadId, ns, id);
  return id === null ? undefined : { id, thread_id: threadId, ns };
}

/** In a transaction that may be undone: what it adds is not cached yet. */
export function openNamespace(
  cache: SaverCache,
  rows: NamespaceRows,
  { threadId, namespace }: WriteAddress,
): number {
  return idOf(cache, rows, threadId, namespace) ?? rows.add(threadId, namespace);
}

function idOf(cache: SaverCache, rows: NamespaceRows, threadId: string, ns: string): number | null {
  const known = cache.namespaceId(threadId, ns);
  return known === undefined ? (rows.idOf(threadId, ns) ?? null) : known;
}

/** Graphs in each other, at most, whose rows refer to those of the graph around. */
const MOST_LEVELS = 64;

/**
 * The namespace of the graph around, where this one is that of a single visit: its last name is one of a task, `node:id`, which may
 * have run several graphs (`node:id|1`). A history that many visits share is nobody's part.
 */
export function namespaceAround(ns: string): string | undefined {
  const names = ns.split("|");
  while (names.length > 1 && /^\d+$/.test(names.at(-1) ?? "")) names.pop();
  const isOfTask = names.pop()?.includes(":") === true;
  return isOfTask && names.length < MOST_LEVELS ? names.join("|") : undefined;
}
