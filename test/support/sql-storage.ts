import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** The statements of a Durable Object on a database in memory, in Node: as much of `SqlStorage` as the saver uses. */
export class MemorySqlStorage {
  readonly #database = new DatabaseSync(":memory:");
  /** How many were run. */
  statements = 0;

  /** In the type of workerd, which nobody else can make. */
  get sql(): SqlStorage {
    const exec = (statement: string, ...inputs: SQLInputValue[]) => this.#exec(statement, inputs);
    return { exec } as unknown as SqlStorage;
  }

  run(script: string): void {
    this.#database.exec(script);
  }

  #exec(statement: string, inputs: readonly SQLInputValue[]) {
    this.statements++;
    const rows = this.#database
      .prepare(statement)
      .all(...inputs)
      .map(withBuffers);
    const { changes } = this.#database.prepare("SELECT changes() AS changes").get() ?? {};
    return {
      rowsWritten: /^\s*(SELECT|WITH)/.test(statement) ? 0 : Number(changes),
      toArray: () => rows,
      one: () => rows[0],
      [Symbol.iterator]: () => rows[Symbol.iterator](),
    };
  }
}

function withBuffers(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? value.slice().buffer : value,
    ]),
  );
}
