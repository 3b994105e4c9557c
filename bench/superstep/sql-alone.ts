type Row = Record<string, SqlStorageValue>;

/** What of a superstep is written by a statement each: the checkpoint and its task, or both as one row. */
export type RowsEach = "two rows" | "one row";

/**
 * Writes the rows that a run has written once more, in its order, and nothing else: a transaction a superstep, and all of it
 * durable at the end. What is left of a superstep then is the platform's. Answers with milliseconds.
 */
export async function writeAgain(
  storage: DurableObjectStorage,
  supersteps: number,
  rowsEach: RowsEach,
): Promise<number> {
  const { sql } = storage;
  const checkpoints = lastRows(sql, "checkpoints", supersteps);
  const writes = lastRows(sql, "writes", supersteps);
  sql.exec("DELETE FROM checkpoints");
  sql.exec("DELETE FROM writes");
  await storage.sync();
  const putCheckpoint = inserter(sql, "checkpoints", checkpoints);
  const putWrites = inserter(sql, "writes", writes);
  const both = checkpoints.map((row, index) => ({
    ...row,
    body: joined(row["body"], writes[index]?.["body"]),
  }));
  const start = performance.now();
  for (let index = 0; index < supersteps; index++) {
    storage.transactionSync(() => {
      putCheckpoint(rowsEach === "one row" ? both[index] : checkpoints[index]);
      if (rowsEach === "two rows") putWrites(writes[index]);
    });
  }
  await storage.sync();
  return performance.now() - start;
}

function lastRows(sql: SqlStorage, table: string, count: number): Row[] {
  const key = table === "checkpoints" ? "id" : "checkpoint";
  const rows = sql.exec(`SELECT * FROM ${table} ORDER BY ${key} DESC LIMIT ?`, count).toArray().toReversed();
  if (rows.length !== count) throw new Error(`The run has written ${rows.length} ${table}, not ${count}.`);
  return rows;
}

function inserter(
  sql: SqlStorage,
  table: string,
  [first = {}]: readonly Row[],
): (row: Row | undefined) => void {
  const columns = Object.keys(first);
  const statement = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  return (row = {}) => void sql.exec(statement, ...columns.map((column) => row[column] ?? null));
}

function joined(...parts: (SqlStorageValue | undefined)[]): ArrayBuffer {
  const arrays = parts.map((part) => new Uint8Array(part instanceof ArrayBuffer ? part : []));
  const bytes = new Uint8Array(arrays.reduce((size, { length }) => size + length, 0));
  let offset = 0;
  for (const array of arrays) {
    bytes.set(array, offset);
    offset += array.length;
  }
  return bytes.buffer;
}
