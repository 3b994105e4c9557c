import { readArchive } from "../../src/archive/read-archive.ts";
import type { Cell, ContentRecord } from "../../src/archive/records.ts";
import { writeArchive } from "../../src/archive/write-archive.ts";
import { json, request, type TestThread } from "./threads.ts";

const TYPE = "application/vnd.tidemark.thread";

export async function exported(thread: TestThread): Promise<Uint8Array<ArrayBuffer>> {
  const response = await request(`${thread.path}/export`);
  if (!response.ok) await json(response);
  return new Uint8Array(await response.arrayBuffer());
}

/** Makes the thread of an archive. */
export async function importInto<Thread extends TestThread>(
  thread: Thread,
  archive: Uint8Array<ArrayBuffer>,
): Promise<Thread> {
  const headers = { "content-type": TYPE };
  await json(request(`${thread.path}/import`, { method: "POST", headers, body: archive }));
  return thread;
}

export function holds(archive: Uint8Array, text: string): boolean {
  return new TextDecoder("latin1").decode(archive).includes(text);
}

export type Row = Readonly<Record<string, Cell>>;

export async function recordsOf(archive: Uint8Array<ArrayBuffer>): Promise<ContentRecord[]> {
  const records: ContentRecord[] = [];
  for await (const record of readArchive(new Blob([archive]).stream())) records.push(record);
  return records;
}

export async function archiveOf(records: readonly ContentRecord[]): Promise<Uint8Array<ArrayBuffer>> {
  async function* each() {
    yield* records;
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeArchive(each())) chunks.push(chunk);
  return new Uint8Array(await new Blob(chunks.map((chunk) => new Uint8Array(chunk))).arrayBuffer());
}

/** The records of an archive, with other rows in the place of each row of one of its tables. */
export async function changed(
  archive: Uint8Array<ArrayBuffer>,
  table: string,
  change: (row: Row) => Row | readonly Row[],
): Promise<ContentRecord[]> {
  return (await recordsOf(archive)).map((record) => {
    if (record.kind !== "rows" || record.table !== table) return record;
    const { columns } = record;
    const rows = record.rows
      .flatMap((cells) =>
        change(Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? null]))),
      )
      .map((row) => columns.map((column) => row[column] ?? null));
    return { ...record, rows };
  });
}
