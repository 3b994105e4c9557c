import type { Cell, ContentRecord, Rows } from "../../archive/records.ts";
import { StorageError } from "../../errors.ts";
import type { TablePage } from "../../storage/tables.ts";
import type { Report } from "../../log.ts";
import { toHex } from "../../hex.ts";
import { blobsLeftOut } from "./archived-blobs.ts";
import { ArchivedRequests } from "./archived-requests.ts";
import { ARCHIVED_TABLES, UNMOVED_THREAD_COLUMNS } from "./archived-tables.ts";
import { threadBusy, threadChanged } from "../errors.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** Of a blob, in bytes. */
const PART_SIZE = 1_000_000;

/** Tables with a row, or several, for each large value. */
const BLOBS: readonly string[] = ["blobs", "parts"];

/**
 * The thread as it is at one moment, in records of about a megabyte. What is not to go out is known before the first of them.
 * When something is written before the last one, the records end with an error: the archive is not whole, and no import takes
 * it. What cannot be read goes out as it is stored, but for what runs were started with, and is reported.
 */
export async function exportThread(
  storage: ThreadStorage,
  threadId: string,
  report: Report,
): Promise<AsyncGenerator<ContentRecord, void, undefined>> {
  const { revision } = storage;
  const requests = await ArchivedRequests.of(storage, threadId, report);
  const unused = await blobsLeftOut(storage, threadId, requests, report);
  const gone = (await storage.blobs.gone(threadId)).filter((hash) => !unused.has(hash));
  if (gone.length > 0) report(blobsMissing(gone));
  if (storage.revision !== revision) throw threadBusy(threadId);
  return threadRecords(storage, threadId, {
    revision,
    requests,
    leftOut: new Set([...unused, ...gone]),
    gone,
  });
}

function blobsMissing(hashes: readonly string[]): StorageError {
  return new StorageError(
    "blob_missing",
    `The bucket has no objects any more for ${hashes.length} large values. The archive is without them.`,
    { details: { hashes } },
  );
}

interface Archived {
  /** Of the storage, as it is archived. */
  readonly revision: number;
  readonly requests: ArchivedRequests;
  /** The hashes of blobs. */
  readonly leftOut: ReadonlySet<string>;
  /** Those of them that something in the archive refers to. */
  readonly gone: readonly string[];
}

async function* threadRecords(
  storage: ThreadStorage,
  threadId: string,
  archived: Archived,
): AsyncGenerator<ContentRecord, void, undefined> {
  const requireUnchanged = () => {
    if (storage.revision !== archived.revision) throw threadChanged(threadId);
  };
  requireUnchanged();
  yield header(storage, archived.gone);
  for (const table of ARCHIVED_TABLES) {
    for (const { columns, rows: stored } of pages(storage, table)) {
      const rows = await archivedRows(table, columns, stored, archived);
      if (rows.length > 0) yield { kind: "rows", table, columns, rows };
      requireUnchanged();
    }
  }
  for (const { hash, size } of storage.blobs.outside(threadId)) {
    if (archived.leftOut.has(hash)) continue;
    const bytes = await storage.blobs.read(threadId, hash);
    for (let start = 0; start < size; start += PART_SIZE) {
      requireUnchanged();
      yield { kind: "blob", hash, size, bytes: bytes.slice(start, start + PART_SIZE) };
    }
  }
  requireUnchanged();
}

async function archivedRows(
  table: string,
  columns: readonly string[],
  rows: Rows["rows"],
  { requests, leftOut }: Archived,
): Promise<Rows["rows"]> {
  if (table === "runs") return Promise.all(rows.map((row) => requests.archived(columns, row)));
  if (!BLOBS.includes(table)) return rows;
  const hashOf = (row: Rows["rows"][number]): Cell => row[columns.indexOf("hash")] ?? null;
  return rows.filter((row) => !leftOut.has(hexOf(hashOf(row))));
}

function hexOf(hash: Cell): string {
  return hash instanceof Uint8Array ? toHex(hash) : "";
}

function header(storage: ThreadStorage, missingBlobs: readonly string[]): ContentRecord {
  const { columns, rows } = storage.tables.page("thread");
  const entries = columns.map((column, index) => [column, rows[0]?.[index] ?? null] as const);
  return {
    kind: "thread",
    schema: storage.schemaVersion(),
    graph: storage.thread()?.graph,
    columns: Object.fromEntries(entries.filter(([column]) => !UNMOVED_THREAD_COLUMNS.includes(column))),
    ...(missingBlobs.length > 0 && { missingBlobs }),
  };
}

function* pages(storage: ThreadStorage, table: string): Generator<TablePage, void, undefined> {
  let page = storage.tables.page(table);
  yield page;
  while (page.last !== undefined) yield (page = storage.tables.page(table, page.last));
}
