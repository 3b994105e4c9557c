import { compareCheckpointIds } from "../checkpoint/ordering.ts";
import type { Sql } from "./sql.ts";
import { fromStoredId, type StoredId, toStoredId } from "./stored-id.ts";

const ROOT = "namespace = (SELECT id FROM namespaces WHERE thread_id = ? AND ns = '')";

/** Which checkpoints a thread's root graph has: along the primary key, without reading them. */
export class RootCheckpoints {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The newest id but so many. */
  newestBut(threadId: string, count: number): string | undefined {
    return this.#id(`${ROOT} ORDER BY id DESC LIMIT 1 OFFSET ?`, threadId, count);
  }

  /** The oldest id that is not below this one. */
  oldestFrom(threadId: string, id: string): string | undefined {
    return this.#id(`${ROOT} AND id >= ? ORDER BY id LIMIT 1`, threadId, toStoredId(id));
  }

  /**
   * The newest one, and those that led to it, oldest first: as far back as `since`, or what is older than that, and one more. So
   * many came after that at most.
   */
  lineSince(threadId: string, since: string, most: number): string[] {
    const line: string[] = [];
    let id = this.newestBut(threadId, 0);
    while (id !== undefined && line.length < most + 2) {
      line.unshift(id);
      if (line[1] !== undefined && compareCheckpointIds(line[1], since) <= 0) break;
      id = this.#parent(threadId, id);
    }
    return line;
  }

  #parent(threadId: string, id: string): string | undefined {
    const statement = `SELECT parent FROM checkpoints WHERE ${ROOT} AND id = ?`;
    const row = this.#sql.first<{ parent: StoredId | null }>(statement, threadId, toStoredId(id));
    return row?.parent == null ? undefined : fromStoredId(row.parent);
  }

  #id(condition: string, ...inputs: Parameters<Sql["run"]>[1][]): string | undefined {
    const row = this.#sql.first<{ id: StoredId }>(`SELECT id FROM checkpoints WHERE ${condition}`, ...inputs);
    return row && fromStoredId(row.id);
  }
}
