import type { Sql, SqlInput } from "./sql.ts";

/** The columns of a table, in order, with the values that are the most frequent ones where a few are. */
export type InsertedColumns = Readonly<Record<string, readonly (string | number)[]>>;

interface Column {
  readonly name: string;
  readonly frequent: readonly SqlInput[];
  /** Where the form of a row says how this column is given. */
  readonly shift: number;
}

/** How a column is given, from which on the frequent values have a number each. */
const LEFT_OUT = 0;
const BOUND = 1;
const FREQUENT = 2;

/**
 * Adds rows to a table, each unless there is one with its key. Binding ten values takes longer than adding the row. So what
 * is null is left out, which for SQLite is the same, and a frequent value stands in the statement: there is one for each
 * form of a row.
 */
export class Insertion {
  readonly #sql: Sql;
  readonly #table: string;
  readonly #columns: readonly Column[];
  readonly #statements = new Map<number, string>();

  /** All columns and their frequent values together have to fit into the 31 bits of a form. */
  constructor(sql: Sql, table: string, columns: InsertedColumns) {
    this.#sql = sql;
    this.#table = table;
    let shift = 0;
    this.#columns = Object.entries(columns).map(([name, frequent]) => {
      const column = { name, frequent, shift };
      shift += widthOf(column);
      return column;
    });
  }

  /** A value for each of the columns, in their order. Returns how many rows were written. */
  run(...values: readonly SqlInput[]): number {
    const inputs: SqlInput[] = [];
    let form = 0;
    let index = 0;
    for (const { frequent, shift } of this.#columns) {
      const value = values[index++] ?? null;
      if (value === null) continue;
      const number = frequent.indexOf(value);
      if (number < 0) inputs.push(value);
      form |= (number < 0 ? BOUND : FREQUENT + number) << shift;
    }
    return this.#sql.run(this.#statements.get(form) ?? this.#prepare(form), ...inputs);
  }

  #prepare(form: number): string {
    const names: string[] = [];
    const values: string[] = [];
    for (const column of this.#columns) {
      const given = (form >> column.shift) & (2 ** widthOf(column) - 1);
      if (given === LEFT_OUT) continue;
      names.push(column.name);
      values.push(given === BOUND ? "?" : literal(column.frequent[given - FREQUENT]));
    }
    const statement = `INSERT INTO ${this.#table} (${names.join(", ")}) VALUES (${values.join(", ")}) ON CONFLICT DO NOTHING`;
    this.#statements.set(form, statement);
    return statement;
  }
}

/** In bits. */
function widthOf({ frequent }: Pick<Column, "frequent">): number {
  return Math.ceil(Math.log2(FREQUENT + frequent.length));
}

/** Of a value that this code names. */
function literal(value: SqlInput | undefined): string {
  return typeof value === "number" ? String(value) : `'${String(value)}'`;
}
