import type { ContentRecord } from "../archive/records.ts";
import type { TablePage } from "../storage/tables.ts";
import { ArchivedRequests } from "./archived-requests.ts";
import { ARCHIVED_TABLES, UNMOVED_THREAD_COLUMNS } from "./archived-tables.ts";
import { threadChanged } from "./errors.ts";
import type { ThreadStorage } from "./thread-storage.ts";

/** Of a blob, in bytes. */
const PART_SIZE = 1_000_000;

/**
 * The thread as it is at one moment, in records of about a megabyte. When something is written before the last one, the
 * records end with an error: the archive is not whole, and no import takes it.
 */
export async function* threadRecords(
  storage: ThreadStorage,
  threadId: string,
): AsyncGenerator<ContentRecord, void, undefined> {
  const { revision } = storage;
  const requireUnchanged = () => {
    if (storage.revision !== revision) throw threadChanged(threadId);
  };
  yield header(storage);
  const requests = await ArchivedRequests.of(storage, threadId);
  for (const table of ARCHIVED_TABLES) {
    for (const page of pages(storage, table)) {
      const { columns, rows } = await requests.archived(table, page);
      if (rows.length > 0) yield { kind: "rows", table, columns, rows };
      requireUnchanged();
    }
  }
  for (const { hash, size } of storage.blobs.outside(threadId)) {
    if (requests.leavesOut(hash)) continue;
    const bytes = await storage.blobs.read(threadId, hash);
    for (let start = 0; start < size; start += PART_SIZE) {
      requireUnchanged();
      yield { kind: "blob", hash, size, bytes: bytes.slice(start, start + PART_SIZE) };
    }
  }
  requireUnchanged();
}

function header(storage: ThreadStorage): ContentRecord {
  const { columns, rows } = storage.tables.page("thread");
  const entries = columns.map((column, index) => [column, rows[0]?.[index] ?? null] as const);
  return {
    kind: "thread",
    schema: storage.schemaVersion(),
    graph: storage.thread()?.graph,
    columns: Object.fromEntries(entries.filter(([column]) => !UNMOVED_THREAD_COLUMNS.includes(column))),
  };
}

function* pages(storage: ThreadStorage, table: string): Generator<TablePage, void, undefined> {
  let page = storage.tables.page(table);
  yield page;
  while (page.last !== undefined) yield (page = storage.tables.page(table, page.last));
}
