import type { BodyInput, BodyRow } from "./body-row.ts";
import { FIRST_NAMESPACE, USUAL_TYPE } from "./frequent-values.ts";
import { Insertion, type InsertedColumns } from "./insertion.ts";
import type { Sql, SqlInput } from "./sql.ts";
import { BELOW_ALL, fromStoredId, toInput, toStoredId } from "./stored-id.ts";
import type { StoredId } from "./stored-id.ts";

/** Rows that are read at once where all of them are. */
const PAGE = 100;

const COLUMNS: InsertedColumns = {
  namespace: FIRST_NAMESPACE,
  checkpoint: [],
  task: [],
  type: USUAL_TYPE,
  body: [],
  body_hash: [],
};

/** Names the row of one task on one checkpoint. */
export interface TaskKey {
  readonly namespace: number;
  readonly checkpointId: string;
  readonly taskId: string;
}

export interface TaskRow {
  readonly taskId: string;
  readonly row: BodyRow;
}

/** The statements on `writes`. */
export class WriteRows {
  readonly #sql: Sql;
  readonly #insertion: Insertion;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#insertion = new Insertion(sql, "writes", COLUMNS);
  }

  /** False when the task has a row already: nothing was written then. */
  insert(key: TaskKey, { type, body, bodyHash }: BodyInput): boolean {
    return this.#insertion.run(...keyInputs(key), type, body, bodyHash) > 0;
  }

  read(key: TaskKey): BodyRow | undefined {
    const statement =
      "SELECT type, body, body_hash FROM writes WHERE namespace = ? AND checkpoint = ? AND task = ?";
    return this.#sql.first<BodyRow>(statement, ...keyInputs(key));
  }

  /** False when the row is no longer the one that was read: nothing was written then. */
  replace(key: TaskKey, old: BodyRow, { type, body, bodyHash }: BodyInput): boolean {
    const current = this.read(key);
    if (current === undefined || !isSameBody(current, old)) return false;
    const statement = `UPDATE writes SET type = ?, body = ?, body_hash = ?
      WHERE namespace = ? AND checkpoint = ? AND task = ?`;
    this.#sql.run(statement, type, body, bodyHash, ...keyInputs(key));
    return true;
  }

  ofCheckpoint(namespace: number, checkpointId: string): TaskRow[] {
    const statement = "SELECT task, type, body, body_hash FROM writes WHERE namespace = ? AND checkpoint = ?";
    return this.#sql
      .all<BodyRow & { task: StoredId }>(statement, namespace, toStoredId(checkpointId))
      .map((row) => ({ taskId: fromStoredId(row.task), row }));
  }

  /** The newest checkpoint that has rows, whether it is there itself or not. */
  newestCheckpoint(namespace: number): string | undefined {
    const statement = "SELECT checkpoint FROM writes WHERE namespace = ? ORDER BY checkpoint DESC LIMIT 1";
    const row = this.#sql.first<{ checkpoint: StoredId }>(statement, namespace);
    return row && fromStoredId(row.checkpoint);
  }

  /** All bodies of a namespace, read in pages. */
  *bodies(namespace: number): Generator<BodyRow, void, void> {
    const statement = `SELECT checkpoint, task, type, body, body_hash FROM writes
      WHERE namespace = ? AND (checkpoint, task) > (?, ?) ORDER BY checkpoint, task LIMIT ${PAGE}`;
    let after: [SqlInput, SqlInput] = [BELOW_ALL, BELOW_ALL];
    for (;;) {
      const page: (BodyRow & { checkpoint: StoredId; task: StoredId })[] = this.#sql.all(
        statement,
        namespace,
        ...after,
      );
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = [toInput(last.checkpoint), toInput(last.task)];
    }
  }
}

function keyInputs({
  namespace,
  checkpointId,
  taskId,
}: TaskKey): [number, Uint8Array | string, Uint8Array | string] {
  return [namespace, toStoredId(checkpointId), toStoredId(taskId)];
}

function isSameBody(a: BodyRow, b: BodyRow): boolean {
  return a.type === b.type && isSameBytes(a.body, b.body) && isSameBytes(a.body_hash, b.body_hash);
}

function isSameBytes(a: ArrayBuffer | null, b: ArrayBuffer | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.byteLength !== b.byteLength) return false;
  const [x, y] = [new Uint8Array(a), new Uint8Array(b)];
  return x.every((byte, index) => byte === y[index]);
}
