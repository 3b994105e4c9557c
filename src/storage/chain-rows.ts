import type { BodyRow, StoredBody } from "./body-row.ts";
import { LONGEST_CHAIN, OUTWARD, SNAPSHOT } from "./patch-chain.ts";
import { namespaceAround } from "./namespaces.ts";
import type { NamespaceRow } from "./namespace-rows.ts";
import { fromStoredId, optionalId, toStoredId } from "./stored-id.ts";
import type { StoredId } from "./stored-id.ts";
import type { Sql } from "./sql.ts";

/** A row of a chain of patches. */
export type LinkRow = BodyRow & {
  id: StoredId;
  level: number;
  weight: number;
  /** In the column, which the lowest level does not use. */
  base: StoredId | null;
};

/** The row of a checkpoint, by its place. */
export interface RowPlace {
  readonly namespace: NamespaceRow;
  readonly id: string;
}

/** A row that cannot be read without another. */
export interface Dependence {
  readonly id: string;
  /** Of the other. */
  readonly baseNs: string;
  readonly baseId: string;
}

/** The row of the same namespace that a body is a patch of; NULL for a snapshot. */
const BASE = `CASE c.level WHEN 0 THEN c.parent WHEN ${OUTWARD} THEN NULL ELSE c.base END`;
const LINK = `c.id, ${BASE}, c.level, c.weight, c.base, c.type, c.body, c.body_hash`;

/** The statements on what rows of `checkpoints` are patches of. */
export class ChainRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The row of a checkpoint and those that its value is read from, down to a snapshot. */
  read(namespace: number, id: string): LinkRow[] {
    const statement = `WITH RECURSIVE chain (id, next, level, weight, base, type, body, body_hash) AS (
        SELECT ${LINK} FROM checkpoints c WHERE c.namespace = ?1 AND c.id = ?2
        UNION ALL
        SELECT ${LINK} FROM chain JOIN checkpoints c ON c.namespace = ?1 AND c.id = chain.next
      ) SELECT id, level, weight, base, type, body, body_hash FROM chain LIMIT ?3`;
    return this.#sql.all<LinkRow>(statement, namespace, toStoredId(id), LONGEST_CHAIN);
  }

  /** The checkpoints whose rows cannot be read without this one's. Reads all rows of the thread. */
  dependents({ id: namespace, thread_id, ns }: NamespaceRow, id: string): RowPlace[] {
    const statement = `SELECT n.id AS namespace, n.ns, c.id, c.level FROM namespaces n JOIN checkpoints c ON c.namespace = n.id
      WHERE n.thread_id = ?1 AND (
        (n.id = ?2 AND c.level < ${SNAPSHOT} AND ${BASE} = ?3) OR (c.level = ${OUTWARD} AND c.base = ?3))`;
    return this.#sql
      .all<{ namespace: number; ns: string; id: StoredId; level: number }>(
        statement,
        thread_id,
        namespace,
        toStoredId(id),
      )
      .filter((row) => row.level !== OUTWARD || namespaceAround(row.ns) === ns)
      .map((row) => ({
        namespace: { id: row.namespace, thread_id, ns: row.ns },
        id: fromStoredId(row.id),
      }));
  }

  /** All rows of a namespace that cannot be read without another. */
  patches({ id: namespace, ns }: NamespaceRow): Dependence[] {
    const statement = `SELECT c.id, c.level, ifnull(${BASE}, c.base) AS base FROM checkpoints c
      WHERE c.namespace = ? AND c.level <> ${SNAPSHOT}`;
    return this.#sql
      .all<{ id: StoredId; level: number; base: StoredId }>(statement, namespace)
      .map(({ id, level, base }) => ({
        id: fromStoredId(id),
        baseNs: level === OUTWARD ? (namespaceAround(ns) ?? "") : ns,
        baseId: fromStoredId(base),
      }));
  }

  /** Stores the value of a checkpoint in another way. */
  restore(namespace: number, id: string, { level, baseId, weight, body }: StoredBody): void {
    this.#sql.run(
      `UPDATE checkpoints SET level = ?, base = ?, weight = ?, type = ?, body = ?, body_hash = ?
       WHERE namespace = ? AND id = ?`,
      level,
      optionalId(baseId),
      weight,
      body.type,
      body.body,
      body.bodyHash,
      namespace,
      toStoredId(id),
    );
  }
}
