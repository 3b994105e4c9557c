import type { CheckpointAddress } from "../checkpoint/address.ts";
import type { CheckpointHead, CheckpointRows } from "./checkpoint-rows.ts";
import type { NamespaceRow, NamespaceRows } from "./namespace-rows.ts";

/** Rows of one page. Metadata is loaded for all of them, a value only for those that the caller keeps. */
const PAGE = 50;

export interface ListOptions {
  readonly before: string | undefined;
  /** Checked as far as SQL can. */
  readonly filter: Readonly<Record<string, unknown>> | undefined;
  readonly limit: number;
}

export interface ListedRows {
  readonly namespaces: NamespaceRows;
  readonly checkpoints: CheckpointRows;
}

export interface ListedHead {
  readonly namespace: NamespaceRow;
  readonly head: CheckpointHead;
}

/**
 * The checkpoints that match, newest first. Each page is read in one turn; rows that are added or removed between pages
 * do not shift the others.
 */
export function* listHeads(
  { namespaces: namespaceRows, checkpoints: rows }: ListedRows,
  { threadId, namespace: ns, checkpointId }: CheckpointAddress,
  options: ListOptions,
): Generator<ListedHead, void, void> {
  const namespaces = new Map(namespaceRows.matching(threadId, ns).map((row) => [row.id, row]));
  const heads = checkpointId === undefined ? pages(rows, namespaces, threadId, ns, options) : named();
  for (const head of heads) {
    const namespace = namespaces.get(head.namespace);
    if (namespace !== undefined) yield { namespace, head };
  }

  function* named(): Generator<CheckpointHead, void, void> {
    for (const id of namespaces.keys()) {
      const head = rows.head(id, checkpointId);
      if (head !== undefined) yield head;
    }
  }
}

function* pages(
  rows: CheckpointRows,
  namespaces: ReadonlyMap<number, NamespaceRow>,
  threadId: string | undefined,
  ns: string | undefined,
  { before, filter, limit }: ListOptions,
): Generator<CheckpointHead, void, void> {
  const [first, second] = namespaces.keys();
  if (first === undefined) return;
  const size = Math.min(PAGE, limit);
  let after = { id: before, namespace: 0 };
  for (;;) {
    const page =
      second === undefined
        ? rows.page(first, after.id, size, filter)
        : rows.pageOfMany(threadId, ns, after, size, filter);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < size) return;
    after = last;
  }
}
