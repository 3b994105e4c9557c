import type { WriteAddress } from "../checkpoint/address.ts";
import type { NamespaceRow, NamespaceRows } from "./namespace-rows.ts";
import type { SaverCache } from "./saver-cache.ts";

export function findNamespace(
  cache: SaverCache,
  rows: NamespaceRows,
  threadId: string,
  ns: string,
): NamespaceRow | undefined {
  const id = cache.namespaceId(threadId, ns) ?? rows.idOf(threadId, ns);
  if (id === undefined) return undefined;
  cache.setNamespaceId(threadId, ns, id);
  return { id, thread_id: threadId, ns };
}

/** In a transaction that may be undone: what it adds is not cached yet. */
export function openNamespace(
  cache: SaverCache,
  rows: NamespaceRows,
  { threadId, namespace }: WriteAddress,
): number {
  const id = cache.namespaceId(threadId, namespace) ?? rows.idOf(threadId, namespace);
  return id ?? rows.add(threadId, namespace);
}
