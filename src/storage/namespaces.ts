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
