import type { Sql } from "../storage/sql.ts";

export type ThreadRow = {
  tenant: string;
  thread_id: string;
  /** Bound by the first run. */
  graph: string;
  /** Milliseconds since 1970. */
  created_at: number;
  /** 1 while the thread is being deleted. */
  deleting: number;
};

/** The statements on `thread`. */
export class ThreadRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get(): ThreadRow | undefined {
    return this.#sql.first<ThreadRow>("SELECT tenant, thread_id, graph, created_at, deleting FROM thread");
  }

  insert(row: Omit<ThreadRow, "deleting">): void {
    const statement = "INSERT INTO thread (id, tenant, thread_id, graph, created_at) VALUES (1, ?, ?, ?, ?)";
    this.#sql.run(statement, row.tenant, row.thread_id, row.graph, row.created_at);
  }

  markDeleting(): void {
    this.#sql.run("UPDATE thread SET deleting = 1");
  }
}
