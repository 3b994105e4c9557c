import { wellFormed } from "./stored-id.ts";
import type { Sql } from "./sql.ts";

export type NamespaceRow = {
  id: number;
  thread_id: string;
  ns: string;
};

/** The statements on `namespaces`. */
export class NamespaceRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  idOf(threadId: string, ns: string): number | undefined {
    const statement = "SELECT id FROM namespaces WHERE thread_id = ? AND ns = ?";
    const inputs = [wellFormed("thread id", threadId), wellFormed("namespace", ns)];
    return this.#sql.first<Pick<NamespaceRow, "id">>(statement, ...inputs)?.id;
  }

  add(threadId: string, ns: string): number {
    const statement = "INSERT INTO namespaces (thread_id, ns) VALUES (?, ?) RETURNING id";
    return this.#sql.one<Pick<NamespaceRow, "id">>(statement, threadId, ns).id;
  }

  /** What is absent matches all. */
  matching(threadId: string | undefined, ns: string | undefined): NamespaceRow[] {
    if (threadId !== undefined && ns !== undefined) {
      const id = this.idOf(threadId, ns);
      return id === undefined ? [] : [{ id, thread_id: threadId, ns }];
    }
    const statement = `SELECT id, thread_id, ns FROM namespaces
      WHERE (? IS NULL OR thread_id = ?) AND (? IS NULL OR ns = ?)`;
    const [thread, name] = [threadId ?? null, ns ?? null];
    return this.#sql.all<NamespaceRow>(statement, thread, thread, name, name);
  }
}
