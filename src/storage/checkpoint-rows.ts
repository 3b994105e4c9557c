import { fromStoredId, HIGHEST_ID, toStoredId, wellFormed } from "./stored-id.ts";
import type { StoredId } from "./stored-id.ts";
import type { Sql, SqlInput } from "./sql.ts";

export type NamespaceRow = {
  id: number;
  thread_id: string;
  ns: string;
};

/** What a body is in its row: inline, or the hash of a blob. Exactly one is not null. */
export type BodyRow = {
  type: string;
  body: ArrayBuffer | null;
  body_hash: ArrayBuffer | null;
};

/** A body on its way into a row. */
export interface BodyInput {
  readonly type: string;
  readonly body: Uint8Array | null;
  readonly bodyHash: Uint8Array | null;
}

type HeadRow = {
  namespace: number;
  id: StoredId;
  parent: StoredId | null;
  metadata_type: string;
  metadata: ArrayBuffer;
};

/** All of a checkpoint's row but its body. */
export interface CheckpointHead {
  readonly namespace: number;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly metadata: { readonly type: string; readonly data: Uint8Array };
}

export interface CheckpointInput extends CheckpointHead {
  readonly body: BodyInput;
}

/** Where a listing goes on: after this checkpoint, towards older ones. */
export interface ListPosition {
  readonly id: string | undefined;
  readonly namespace: number;
}

const HEAD = "c.namespace, c.id, c.parent, c.metadata_type, c.metadata";

/** The statements on `namespaces` and `checkpoints`. */
export class CheckpointRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  namespaceId(threadId: string, ns: string): number | undefined {
    const statement = "SELECT id FROM namespaces WHERE thread_id = ? AND ns = ?";
    const inputs = [wellFormed("thread id", threadId), wellFormed("namespace", ns)];
    return this.#sql.first<Pick<NamespaceRow, "id">>(statement, ...inputs)?.id;
  }

  addNamespace(threadId: string, ns: string): number {
    this.#sql.run("INSERT INTO namespaces (thread_id, ns) VALUES (?, ?)", threadId, ns);
    return this.#sql.one<Pick<NamespaceRow, "id">>("SELECT last_insert_rowid() AS id").id;
  }

  /** What is absent matches all. */
  namespaces(threadId: string | undefined, ns: string | undefined): NamespaceRow[] {
    if (threadId !== undefined && ns !== undefined) {
      const id = this.namespaceId(threadId, ns);
      return id === undefined ? [] : [{ id, thread_id: threadId, ns }];
    }
    const statement = `SELECT id, thread_id, ns FROM namespaces
      WHERE (? IS NULL OR thread_id = ?) AND (? IS NULL OR ns = ?)`;
    const [thread, name] = [threadId ?? null, ns ?? null];
    return this.#sql.all<NamespaceRow>(statement, thread, thread, name, name);
  }

  insert(row: CheckpointInput): void {
    this.#sql.run(
      `INSERT OR REPLACE INTO checkpoints (namespace, id, parent, metadata_type, metadata, type, body, body_hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      row.namespace,
      toStoredId(row.id),
      row.parentId === undefined ? null : toStoredId(row.parentId),
      row.metadata.type,
      row.metadata.data,
      row.body.type,
      row.body.body,
      row.body.bodyHash,
    );
  }

  /** The named checkpoint, or the newest one. */
  head(namespace: number, id: string | undefined): CheckpointHead | undefined {
    const row =
      id === undefined
        ? this.#sql.first<HeadRow>(
            `SELECT ${HEAD} FROM checkpoints c WHERE c.namespace = ? ORDER BY c.id DESC LIMIT 1`,
            namespace,
          )
        : this.#sql.first<HeadRow>(
            `SELECT ${HEAD} FROM checkpoints c WHERE c.namespace = ? AND c.id = ?`,
            namespace,
            toStoredId(id),
          );
    return row === undefined ? undefined : toHead(row);
  }

  body(namespace: number, id: string): BodyRow | undefined {
    const statement = "SELECT type, body, body_hash FROM checkpoints WHERE namespace = ? AND id = ?";
    return this.#sql.first<BodyRow>(statement, namespace, toStoredId(id));
  }

  /** Newest first, within one namespace: along the primary key. */
  page(namespace: number, before: string | undefined, limit: number): CheckpointHead[] {
    const statement = `SELECT ${HEAD} FROM checkpoints c WHERE c.namespace = ? AND c.id < ? ORDER BY c.id DESC LIMIT ?`;
    return this.#sql.all<HeadRow>(statement, namespace, upperBound(before), limit).map(toHead);
  }

  /** Newest first, over all namespaces that match: sorts what it finds. */
  pageOfMany(
    threadId: string | undefined,
    ns: string | undefined,
    after: ListPosition,
    limit: number,
  ): CheckpointHead[] {
    const statement = `SELECT ${HEAD} FROM checkpoints c JOIN namespaces n ON n.id = c.namespace
      WHERE (? IS NULL OR n.thread_id = ?) AND (? IS NULL OR n.ns = ?)
        AND (c.id < ? OR (c.id = ? AND c.namespace < ?))
      ORDER BY c.id DESC, c.namespace DESC LIMIT ?`;
    const [thread, name, bound] = [threadId ?? null, ns ?? null, upperBound(after.id)];
    return this.#sql
      .all<HeadRow>(statement, thread, thread, name, name, bound, bound, after.namespace, limit)
      .map(toHead);
  }

  deleteThread(threadId: string): void {
    const namespaces = "SELECT id FROM namespaces WHERE thread_id = ?";
    this.#sql.run(`DELETE FROM checkpoints WHERE namespace IN (${namespaces})`, threadId);
    this.#sql.run(`DELETE FROM writes WHERE namespace IN (${namespaces})`, threadId);
    this.#sql.run("DELETE FROM namespaces WHERE thread_id = ?", threadId);
  }
}

function upperBound(id: string | undefined): SqlInput {
  return id === undefined ? HIGHEST_ID : toStoredId(id);
}

function toHead(row: HeadRow): CheckpointHead {
  return {
    namespace: row.namespace,
    id: fromStoredId(row.id),
    parentId: row.parent === null ? undefined : fromStoredId(row.parent),
    metadata: { type: row.metadata_type, data: new Uint8Array(row.metadata) },
  };
}
