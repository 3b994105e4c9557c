import { StorageError } from "../errors.ts";
import { Sql, type SqlInput } from "./sql.ts";

/** Rows of one table as they are, without the meaning of their columns. */
export interface TablePage {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlInput[])[];
  /** The key of the last row, when there may be more. */
  readonly last: readonly SqlInput[] | undefined;
}

/** A page ends with the row that brings it over so many bytes. */
const PAGE_SIZE = 1_000_000;
/** What a row takes besides texts and bytes. */
const ROW_OVERHEAD = 64;

/** Reads and writes whole tables of an object, for moving it elsewhere. */
export class Tables {
  readonly #storage: SqlStorage;
  readonly #sql: Sql;
  readonly #onWrite: (table: string) => void;

  /** `onWrite` comes before: the rows of this table will not be what they were. */
  constructor(storage: SqlStorage, onWrite: (table: string) => void = () => undefined) {
    this.#storage = storage;
    this.#sql = new Sql(storage);
    this.#onWrite = onWrite;
  }

  /** All that the database has. */
  names(): string[] {
    const statement =
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_*' AND name NOT GLOB 'sqlite_*' ORDER BY name";
    return this.#sql.all<{ name: string }>(statement).map(({ name }) => name);
  }

  /** The next rows in the order of the table's primary key, after the one with the key `after`; none of a table that is not there. */
  page(table: string, after?: readonly SqlInput[]): TablePage {
    const { columns, key } = this.#shape(table);
    if (columns.length === 0) return { columns, rows: [], last: undefined };
    const names = columns.map(quoted).join(", ");
    const order = key.map(quoted).join(", ");
    const where = after === undefined ? "" : `WHERE (${order}) > (${key.map(() => "?").join(", ")})`;
    const cursor = this.#storage.exec(
      `SELECT ${names} FROM ${quoted(table)} ${where} ORDER BY ${order}`,
      ...(after ?? []),
    );
    const rows: SqlInput[][] = [];
    let size = 0;
    for (const values of cursor.raw()) {
      const row = values.map(toInput);
      rows.push(row);
      size += sizeOf(row);
      if (size >= PAGE_SIZE)
        return { columns, rows, last: key.map((name) => row[columns.indexOf(name)] ?? null) };
    }
    return { columns, rows, last: undefined };
  }

  insert(table: string, rows: readonly Readonly<Record<string, SqlInput>>[]): void {
    this.#onWrite(table);
    const { types } = this.#shape(table);
    for (const row of rows) {
      for (const [name, value] of Object.entries(row)) checkCell(table, name, types.get(name), value);
      const names = Object.keys(row);
      const places = names.map(() => "?").join(", ");
      const statement = `INSERT INTO ${quoted(table)} (${names.map(quoted).join(", ")}) VALUES (${places})`;
      this.#sql.run(statement, ...Object.values(row));
    }
  }

  /** Sets a column of all rows. */
  update(table: string, column: string, value: SqlInput): void {
    checkCell(table, column, this.#shape(table).types.get(column), value);
    this.#onWrite(table);
    this.#sql.run(`UPDATE ${quoted(table)} SET ${quoted(column)} = ?`, value);
  }

  /** Its columns with their types, and those of its primary key in their order. */
  #shape(table: string): TableShape {
    const statement = `PRAGMA table_info(${quoted(table)})`;
    const info = this.#sql.all<{ name: string; type: string; pk: number }>(statement);
    const key = info.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    return {
      columns: info.map(({ name }) => name),
      types: new Map(info.map(({ name, type }) => [name, type])),
      key: key.map(({ name }) => name),
    };
  }
}

interface TableShape {
  readonly columns: readonly string[];
  readonly types: ReadonlyMap<string, string>;
  readonly key: readonly string[];
}

/** SQLite itself takes any value for any column. A column of bytes may have text: ids that are no UUIDs are. */
function checkCell(table: string, column: string, type: string | undefined, value: SqlInput): void {
  if (type === undefined) throw unknownColumn(table, column);
  const isRight =
    value === null ||
    (type === "INTEGER" && Number.isSafeInteger(value)) ||
    (type !== "INTEGER" && typeof value === "string") ||
    (type === "BLOB" && value instanceof Uint8Array);
  if (isRight) return;
  throw new StorageError("wrong_cell", `The column "${column}" of "${table}" takes ${type}.`, {
    details: { table, column, type },
  });
}

function unknownColumn(table: string, column: string): StorageError {
  return new StorageError("unknown_column", `The table "${table}" has no column "${column}".`, {
    details: { table, column },
  });
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function toInput(value: SqlStorageValue): SqlInput {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}

function sizeOf(row: readonly SqlInput[]): number {
  let size = ROW_OVERHEAD;
  for (const value of row) {
    if (typeof value === "string") size += value.length;
    else if (value instanceof Uint8Array) size += value.byteLength;
  }
  return size;
}
