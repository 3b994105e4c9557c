import { conditionsOf } from "./metadata-columns.ts";
import type { MetadataColumns, MetadataRow } from "./metadata-columns.ts";
import { SNAPSHOT } from "./patch-chain.ts";
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

type HeadRow = MetadataRow & {
  namespace: number;
  id: StoredId;
  parent: StoredId | null;
};

/** What a checkpoint's row says beside its body. */
export interface CheckpointHead {
  readonly namespace: number;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly metadata: MetadataRow;
}

/** How the value of a checkpoint is stored. */
export interface StoredBody {
  readonly level: number;
  /** The row that the body is a patch of, where it is not the parent's. */
  readonly baseId: string | undefined;
  readonly weight: number;
  readonly body: BodyInput;
}

export interface CheckpointInput extends StoredBody {
  readonly namespace: number;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly metadata: MetadataColumns;
}

/** A row of a chain of patches. */
export type LinkRow = BodyRow & {
  id: StoredId;
  level: number;
  weight: number;
};

/** Where a listing goes on: after this checkpoint, towards older ones. */
export interface ListPosition {
  readonly id: string | undefined;
  readonly namespace: number;
}

const HEAD = "c.namespace, c.id, c.parent, c.source, c.step, c.run, c.metadata_type, c.metadata";
/** The row that a body is a patch of; NULL for a snapshot. */
const BASE = "CASE c.level WHEN 0 THEN c.parent ELSE c.base END";
const LINK = `c.id, ${BASE}, c.level, c.weight, c.type, c.body, c.body_hash`;

type Filter = Readonly<Record<string, unknown>> | undefined;

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

  /** False when there is such a row already: nothing was written then. */
  insert(row: CheckpointInput): boolean {
    return (
      this.#sql.run(
        `INSERT INTO checkpoints (namespace, id, parent, source, step, run, metadata_type, metadata,
           level, base, weight, type, body, body_hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        row.namespace,
        toStoredId(row.id),
        idInput(row.parentId),
        row.metadata.source,
        row.metadata.step,
        row.metadata.run === null ? null : toStoredId(row.metadata.run),
        row.metadata.rest?.type ?? null,
        row.metadata.rest?.data ?? null,
        row.level,
        idInput(row.baseId),
        row.weight,
        row.body.type,
        row.body.body,
        row.body.bodyHash,
      ) > 0
    );
  }

  /** Stores the value of a checkpoint in another way. */
  restore(namespace: number, id: string, { level, baseId, weight, body }: StoredBody): void {
    this.#sql.run(
      `UPDATE checkpoints SET level = ?, base = ?, weight = ?, type = ?, body = ?, body_hash = ?
       WHERE namespace = ? AND id = ?`,
      level,
      idInput(baseId),
      weight,
      body.type,
      body.body,
      body.bodyHash,
      namespace,
      toStoredId(id),
    );
  }

  delete(namespace: number, id: string): void {
    this.#sql.run("DELETE FROM checkpoints WHERE namespace = ? AND id = ?", namespace, toStoredId(id));
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

  /** The row of a checkpoint and those that its value is read from, down to a snapshot. */
  chain(namespace: number, id: string): LinkRow[] {
    const statement = `WITH RECURSIVE chain (id, next, level, weight, type, body, body_hash) AS (
        SELECT ${LINK} FROM checkpoints c WHERE c.namespace = ?1 AND c.id = ?2
        UNION ALL
        SELECT ${LINK} FROM chain JOIN checkpoints c ON c.namespace = ?1 AND c.id = chain.next
      ) SELECT id, level, weight, type, body, body_hash FROM chain`;
    return this.#sql.all<LinkRow>(statement, namespace, toStoredId(id));
  }

  /** The checkpoints whose rows are patches of this one's. Reads the whole namespace. */
  dependents(namespace: number, id: string): string[] {
    const statement = `SELECT c.id FROM checkpoints c WHERE c.namespace = ? AND ${BASE} = ? AND c.level < ${SNAPSHOT}`;
    return this.#sql
      .all<{ id: StoredId }>(statement, namespace, toStoredId(id))
      .map((row) => fromStoredId(row.id));
  }

  /** Newest first, within one namespace: along the primary key. */
  page(namespace: number, before: string | undefined, limit: number, filter: Filter): CheckpointHead[] {
    const { sql, inputs } = conditionsOf(filter);
    const statement = `SELECT ${HEAD} FROM checkpoints c WHERE c.namespace = ? AND c.id < ?${sql}
      ORDER BY c.id DESC LIMIT ?`;
    return this.#sql.all<HeadRow>(statement, namespace, upperBound(before), ...inputs, limit).map(toHead);
  }

  /** Newest first, over all namespaces that match: sorts what it finds. */
  pageOfMany(
    threadId: string | undefined,
    ns: string | undefined,
    after: ListPosition,
    limit: number,
    filter: Filter,
  ): CheckpointHead[] {
    const { sql, inputs } = conditionsOf(filter);
    const statement = `SELECT ${HEAD} FROM checkpoints c JOIN namespaces n ON n.id = c.namespace
      WHERE (? IS NULL OR n.thread_id = ?) AND (? IS NULL OR n.ns = ?)
        AND (c.id < ? OR (c.id = ? AND c.namespace < ?))${sql}
      ORDER BY c.id DESC, c.namespace DESC LIMIT ?`;
    const [thread, name, bound] = [threadId ?? null, ns ?? null, upperBound(after.id)];
    return this.#sql
      .all<HeadRow>(statement, thread, thread, name, name, bound, bound, after.namespace, ...inputs, limit)
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

function idInput(id: string | undefined): SqlInput {
  return id === undefined ? null : toStoredId(id);
}

function toHead({ namespace, id, parent, ...metadata }: HeadRow): CheckpointHead {
  return {
    namespace,
    id: fromStoredId(id),
    parentId: parent === null ? undefined : fromStoredId(parent),
    metadata,
  };
}
