import { conditionsOf } from "./metadata-columns.ts";
import type { MetadataColumns, MetadataRow } from "./metadata-columns.ts";
import { LONGEST_CHAIN, SNAPSHOT } from "./patch-chain.ts";
import { BELOW_ALL, fromStoredId, HIGHEST_ID, toInput, toStoredId, wellFormed } from "./stored-id.ts";
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

/** What a copied row takes from the other one: all but its namespace. */
const COPIED = [
  [
    "checkpoints",
    "id, parent, source, step, run, metadata_type, metadata, level, base, weight, type, body, body_hash",
  ],
  ["writes", "checkpoint, task, type, body, body_hash"],
] as const;

/** Rows that are read at once where all of them are. */
const PAGE = 100;

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
        ...metadataInputs(row.metadata),
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
      ) SELECT id, level, weight, type, body, body_hash FROM chain LIMIT ?3`;
    return this.#sql.all<LinkRow>(statement, namespace, toStoredId(id), LONGEST_CHAIN);
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

  /** The threads that a run has written to. */
  threadsOf(runId: string): string[] {
    const statement = `SELECT DISTINCT n.thread_id FROM checkpoints c JOIN namespaces n ON n.id = c.namespace
      WHERE c.run = ?`;
    return this.#sql
      .all<Pick<NamespaceRow, "thread_id">>(statement, toStoredId(runId))
      .map((row) => row.thread_id);
  }

  /** All bodies of a namespace, read in pages. */
  *bodies(namespace: number): Generator<BodyRow, void, void> {
    const statement = `SELECT id, type, body, body_hash FROM checkpoints
      WHERE namespace = ? AND id > ? ORDER BY id LIMIT ${PAGE}`;
    let after: SqlInput = BELOW_ALL;
    for (;;) {
      const page: (BodyRow & { id: StoredId })[] = this.#sql.all(statement, namespace, after);
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = toInput(last.id);
    }
  }

  /** All rows of a namespace that are patches, and what they are patches of. */
  patches(namespace: number): { readonly id: string; readonly baseId: string }[] {
    const statement = `SELECT c.id, ${BASE} AS base FROM checkpoints c WHERE c.namespace = ? AND c.level < ${SNAPSHOT}`;
    return this.#sql
      .all<{ id: StoredId; base: StoredId }>(statement, namespace)
      .map(({ id, base }) => ({ id: fromStoredId(id), baseId: fromStoredId(base) }));
  }

  /** Gives a checkpoint another parent and other metadata. Its row must not be a patch of its parent's. */
  move(namespace: number, id: string, parentId: string | undefined, metadata: MetadataColumns): void {
    this.#sql.run(
      `UPDATE checkpoints SET parent = ?, source = ?, step = ?, run = ?, metadata_type = ?, metadata = ?
       WHERE namespace = ? AND id = ?`,
      idInput(parentId),
      ...metadataInputs(metadata),
      namespace,
      toStoredId(id),
    );
  }

  /** One checkpoint, with the writes of its tasks. */
  remove(namespace: number, id: string): void {
    this.#sql.run("DELETE FROM checkpoints WHERE namespace = ? AND id = ?", namespace, toStoredId(id));
    this.#sql.run("DELETE FROM writes WHERE namespace = ? AND checkpoint = ?", namespace, toStoredId(id));
  }

  /** Writes that wait for a checkpoint which never came, since others have come after it; and namespaces without rows. */
  removeStrays(threadId: string): void {
    for (const { id } of this.namespaces(threadId, undefined)) {
      const newest = this.head(id, undefined);
      if (newest !== undefined) {
        const statement = `DELETE FROM writes WHERE namespace = ? AND checkpoint < ? AND NOT EXISTS
          (SELECT 1 FROM checkpoints c WHERE c.namespace = writes.namespace AND c.id = writes.checkpoint)`;
        this.#sql.run(statement, id, toStoredId(newest.id));
      } else if (this.#sql.first("SELECT 1 FROM writes WHERE namespace = ? LIMIT 1", id) === undefined) {
        this.#sql.run("DELETE FROM namespaces WHERE id = ?", id);
      }
    }
  }

  copyThread(source: string, target: string): void {
    for (const { id, ns } of this.namespaces(source, undefined)) {
      const copy = this.addNamespace(target, ns);
      for (const [table, columns] of COPIED) {
        const rows = `SELECT ?, ${columns} FROM ${table} WHERE namespace = ?`;
        this.#sql.run(`INSERT INTO ${table} (namespace, ${columns}) ${rows}`, copy, id);
      }
    }
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

function metadataInputs({ source, step, run, rest }: MetadataColumns): SqlInput[] {
  return [source, step, idInput(run ?? undefined), rest?.type ?? null, rest?.data ?? null];
}

function toHead({ namespace, id, parent, ...metadata }: HeadRow): CheckpointHead {
  return {
    namespace,
    id: fromStoredId(id),
    parentId: parent === null ? undefined : fromStoredId(parent),
    metadata,
  };
}
