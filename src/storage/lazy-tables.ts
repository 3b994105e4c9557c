import { LazyTable } from "./lazy-table.ts";
import { tableNames } from "./migrations.ts";
import { Sql } from "./sql.ts";

/** Those of a saver. */
type SaverTable = "blobs" | "parts";

/**
 * The tables of an object that are made with their first row. A table costs each object that has it a page for good, and
 * one more for each of its indexes. Which there are is read once: an object alone makes its tables.
 */
export class LazyTables<Name extends string = SaverTable> {
  /** Their names, whether they are there or not. */
  readonly lazy: readonly string[];
  readonly #storage: SqlStorage;
  readonly #sql: Sql;
  readonly #scripts: Readonly<Record<string, string>>;
  readonly #tables = new Map<string, LazyTable>();
  #names: Set<string> | undefined;

  /** `scripts` make each of them with its indexes; the others are there. */
  constructor(storage: SqlStorage, scripts?: Readonly<Record<Name, string>>) {
    this.#storage = storage;
    this.#sql = new Sql(storage);
    this.#scripts = scripts ?? {};
    this.lazy = Object.keys(this.#scripts);
    for (const name of this.lazy) this.#table(name);
  }

  /** The statements on this table, which are the same for all that ask. */
  of(name: Name): LazyTable {
    return this.#table(name);
  }

  #table(name: string): LazyTable {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const table = new LazyTable(name, this.#sql, this);
    this.#tables.set(name, table);
    return table;
  }

  /** All tables that the object has, those that are not made so included. */
  names(): ReadonlySet<string> {
    return (this.#names ??= tableNames(this.#storage));
  }

  has(name: string): boolean {
    return this.#scripts[name] === undefined || this.names().has(name);
  }

  /** Where it is not there. */
  make(name: string): void {
    const script = this.#scripts[name];
    if (script === undefined || this.names().has(name)) return;
    this.#storage.exec(script);
    this.#names?.add(name);
  }

  /** To be called with whatever else changes tables or rows, and when a transaction was undone: what it made is gone. */
  forget(): void {
    this.#names = undefined;
    for (const table of this.#tables.values()) table.forget();
  }

  /** All tables of the object were made just now. */
  noteEmpty(): void {
    for (const table of this.#tables.values()) table.noteEmpty();
  }
}
