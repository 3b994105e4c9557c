import type { Sql, SqlInput } from "./sql.ts";

/**
 * Adds rows to a table, each unless there is one with its key. What is null is left out: for SQLite it is the same, and
 * binding a value costs about a microsecond, more than the row itself.
 */
export class Insertion {
  readonly #sql: Sql;
  readonly #table: string;
  readonly #columns: readonly string[];
  /** By which of the columns are given, a bit each. */
  readonly #statements = new Map<number, string>();

  /** 31 columns at the most. */
  constructor(sql: Sql, table: string, columns: readonly string[]) {
    this.#sql = sql;
    this.#table = table;
    this.#columns = columns;
  }

  /** A value for each of the columns, in their order. Returns how many rows were written. */
  run(...values: readonly SqlInput[]): number {
    const inputs: SqlInput[] = [];
    let given = 0;
    for (let index = 0; index < values.length; index++) {
      const value = values[index] ?? null;
      if (value === null) continue;
      inputs.push(value);
      given |= 1 << index;
    }
    return this.#sql.run(this.#statements.get(given) ?? this.#prepare(given), ...inputs);
  }

  #prepare(given: number): string {
    const columns = this.#columns.filter((_, index) => (given & (1 << index)) !== 0);
    const places = columns.map(() => "?");
    const statement = `INSERT INTO ${this.#table} (${columns.join(", ")}) VALUES (${places.join(", ")}) ON CONFLICT DO NOTHING`;
    this.#statements.set(given, statement);
    return statement;
  }
}
