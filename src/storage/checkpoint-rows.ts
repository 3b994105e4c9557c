import type { BodyRow, StoredBody } from "./body-row.ts";
import { conditionsOf, readColumns } from "./metadata-columns.ts";
import type { MetadataColumns, MetadataRow } from "./metadata-columns.ts";
import type { NamespaceRow } from "./namespace-rows.ts";
import { BELOW_ALL, fromStoredId, HIGHEST_ID, optionalId, toInput, toStoredId } from "./stored-id.ts";
import type { StoredId } from "./stored-id.ts";
import { FIRST_NAMESPACE, USUAL_TYPE } from "./frequent-values.ts";
import { Insertion, type InsertedColumns } from "./insertion.ts";
import { OUTWARD, SNAPSHOT } from "./patch-chain.ts";
import type { Sql, SqlInput } from "./sql.ts";

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
  readonly metadata: MetadataColumns;
}

export interface CheckpointInput extends CheckpointHead, StoredBody {}

/** Where a listing goes on: after this checkpoint, towards older ones. */
export interface ListPosition {
  readonly id: string | undefined;
  readonly namespace: number;
}

const COLUMNS: InsertedColumns = {
  namespace: FIRST_NAMESPACE,
  id: [],
  parent: [],
  source: ["loop", "input", "update", "fork"],
  step: [],
  run: [],
  metadata_type: [],
  metadata: [],
  level: [0, 1, 2, 3, SNAPSHOT, OUTWARD],
  base: [],
  weight: [],
  type: USUAL_TYPE,
  body: [],
  body_hash: [],
};

/** Rows that are read at once where all of them are. */
const PAGE = 100;

const HEAD = "c.namespace, c.id, c.parent, c.source, c.step, c.run, c.metadata_type, c.metadata";

type Filter = Readonly<Record<string, unknown>> | undefined;

/** The statements on `checkpoints`, one checkpoint or one listing at a time. */
export class CheckpointRows {
  readonly #sql: Sql;
  readonly #insertion: Insertion;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#insertion = new Insertion(sql, "checkpoints", COLUMNS);
  }

  /** False when there is such a row already: nothing was written then. */
  insert(row: CheckpointInput): boolean {
    const { body } = row;
    const written = this.#insertion.run(
      row.namespace,
      toStoredId(row.id),
      optionalId(row.parentId),
      ...metadataInputs(row.metadata),
      row.level,
      optionalId(row.baseId),
      row.weight,
      body.type,
      body.body,
      body.bodyHash,
    );
    return written > 0;
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

  /** The namespaces of a thread whose newest checkpoint this run has written, in the order in which they came. */
  namespacesOf(threadId: string, runId: string): string[] {
    const statement = `SELECT ns FROM namespaces n WHERE thread_id = ?
      AND (SELECT run FROM checkpoints WHERE namespace = n.id ORDER BY id DESC LIMIT 1) = ? ORDER BY n.id`;
    return this.#sql
      .all<Pick<NamespaceRow, "ns">>(statement, threadId, toStoredId(runId))
      .map(({ ns }) => ns);
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

  /** Gives a checkpoint another parent and other metadata. Its row must not be a patch of its parent's. */
  move(namespace: number, id: string, parentId: string | undefined, metadata: MetadataColumns): void {
    this.#sql.run(
      `UPDATE checkpoints SET parent = ?, source = ?, step = ?, run = ?, metadata_type = ?, metadata = ?
       WHERE namespace = ? AND id = ?`,
      optionalId(parentId),
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
}

function upperBound(id: string | undefined): SqlInput {
  return id === undefined ? HIGHEST_ID : toStoredId(id);
}

/** In the order of the columns. */
function metadataInputs({ source, step, run, rest }: MetadataColumns): SqlInput[] {
  return [source, step, optionalId(run ?? undefined), rest?.type ?? null, rest?.data ?? null];
}

function toHead({ namespace, id, parent, ...columns }: HeadRow): CheckpointHead {
  return {
    namespace,
    id: fromStoredId(id),
    parentId: parent === null ? undefined : fromStoredId(parent),
    metadata: readColumns(columns),
  };
}
