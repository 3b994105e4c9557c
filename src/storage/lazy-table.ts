import { type Row, Sql, type SqlInput } from "./sql.ts";

interface ObjectTables {
  has(name: string): boolean;
  /** Where it is not there. */
  make(name: string): void;
}

/**
 * The statements on one table that few objects have rows in: it is made with the first one. While it has none, nothing is
 * asked of it and nothing changed in it.
 */
export class LazyTable {
  readonly name: string;
  readonly #sql: Sql;
  readonly #tables: ObjectTables;
  #isEmpty: boolean | undefined;

  constructor(name: string, sql: Sql, tables: ObjectTables) {
    this.name = name;
    this.#sql = sql;
    this.#tables = tables;
  }

  /** False also when the last row is gone since it was looked. */
  get isEmpty(): boolean {
    return (this.#isEmpty ??= !this.#tables.has(this.name) || this.#hasNoRow());
  }

  all<Result extends Row>(query: string, ...inputs: SqlInput[]): Result[] {
    return this.isEmpty ? [] : this.#sql.all<Result>(query, ...inputs);
  }

  each<Result extends Row>(query: string, ...inputs: SqlInput[]): Iterable<Result> {
    return this.isEmpty ? [] : this.#sql.each<Result>(query, ...inputs);
  }

  first<Result extends Row>(query: string, ...inputs: SqlInput[]): Result | undefined {
    return this.isEmpty ? undefined : this.#sql.first<Result>(query, ...inputs);
  }

  /** A query on it as a part of a statement on another table: one that gives nothing while there is nothing. */
  within(query: string): string {
    return this.isEmpty ? "SELECT NULL WHERE FALSE" : query;
  }

  /** What an INSERT adds; makes the table where it is not there. */
  insert(statement: string, ...inputs: SqlInput[]): void {
    this.#tables.make(this.name);
    this.#isEmpty = false;
    this.#sql.run(statement, ...inputs);
  }

  /** UPDATE or DELETE. Returns how many rows were written, those of indexes included. */
  change(statement: string, ...inputs: SqlInput[]): number {
    return this.isEmpty ? 0 : this.#sql.run(statement, ...inputs);
  }

  /** The rows may be others than they were. */
  forget(): void {
    this.#isEmpty = undefined;
  }

  /** All tables of the object were made just now. */
  noteEmpty(): void {
    this.#isEmpty = true;
  }

  #hasNoRow(): boolean {
    return this.#sql.first(`SELECT 1 FROM ${this.name} LIMIT 1`) === undefined;
  }
}
