import type { NamespaceRows } from "./namespace-rows.ts";
import type { Sql } from "./sql.ts";
import { toInput } from "./stored-id.ts";
import type { StoredId } from "./stored-id.ts";

/** What a copied row takes from the other one: all but its namespace. */
const COPIED = [
  [
    "checkpoints",
    "id, parent, source, step, run, metadata_type, metadata, level, base, weight, type, body, body_hash",
  ],
  ["writes", "checkpoint, task, type, body, body_hash"],
] as const;

/** The statements on all that the tables have of a thread, its blobs excepted. */
export class ThreadTables {
  readonly #sql: Sql;
  readonly #namespaces: NamespaceRows;

  constructor(sql: Sql, namespaces: NamespaceRows) {
    this.#sql = sql;
    this.#namespaces = namespaces;
  }

  /** Writes that wait for a checkpoint which never came, since others have come after it; and namespaces without rows. */
  removeStrays(threadId: string): void {
    for (const { id } of this.#namespaces.matching(threadId, undefined)) {
      const newest = this.#sql.first<{ id: StoredId }>(
        "SELECT id FROM checkpoints WHERE namespace = ? ORDER BY id DESC LIMIT 1",
        id,
      );
      if (newest !== undefined) {
        const statement = `DELETE FROM writes WHERE namespace = ? AND checkpoint < ? AND NOT EXISTS
          (SELECT 1 FROM checkpoints c WHERE c.namespace = writes.namespace AND c.id = writes.checkpoint)`;
        this.#sql.run(statement, id, toInput(newest.id));
      } else if (this.#sql.first("SELECT 1 FROM writes WHERE namespace = ? LIMIT 1", id) === undefined) {
        this.#sql.run("DELETE FROM namespaces WHERE id = ?", id);
      }
    }
  }

  copy(source: string, target: string): void {
    for (const { id, ns } of this.#namespaces.matching(source, undefined)) {
      const copy = this.#namespaces.add(target, ns);
      for (const [table, columns] of COPIED) {
        const rows = `SELECT ?, ${columns} FROM ${table} WHERE namespace = ?`;
        this.#sql.run(`INSERT INTO ${table} (namespace, ${columns}) ${rows}`, copy, id);
      }
    }
  }

  delete(threadId: string): void {
    const namespaces = "SELECT id FROM namespaces WHERE thread_id = ?";
    this.#sql.run(`DELETE FROM checkpoints WHERE namespace IN (${namespaces})`, threadId);
    this.#sql.run(`DELETE FROM writes WHERE namespace IN (${namespaces})`, threadId);
    this.#sql.run("DELETE FROM namespaces WHERE thread_id = ?", threadId);
  }
}
