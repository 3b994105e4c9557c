import type { BodyInput, BodyRow } from "./body-row.ts";
import { LONGEST_CHAIN, SNAPSHOT } from "./patch-chain.ts";
import { fromStoredId, optionalId, toStoredId } from "./stored-id.ts";
import type { StoredId } from "./stored-id.ts";
import type { Sql } from "./sql.ts";

/** How the value of a checkpoint is stored. */
export interface StoredBody {
  readonly level: number;
  /** The row that the body is a patch of, where it is not the parent's. */
  readonly baseId: string | undefined;
  readonly weight: number;
  readonly body: BodyInput;
}

/** A row of a chain of patches. */
export type LinkRow = BodyRow & {
  id: StoredId;
  level: number;
  weight: number;
};

/** The row that a body is a patch of; NULL for a snapshot. */
const BASE = "CASE c.level WHEN 0 THEN c.parent ELSE c.base END";
const LINK = `c.id, ${BASE}, c.level, c.weight, c.type, c.body, c.body_hash`;

/** The statements on what rows of `checkpoints` are patches of. */
export class ChainRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The row of a checkpoint and those that its value is read from, down to a snapshot. */
  read(namespace: number, id: string): LinkRow[] {
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

  /** All rows of a namespace that are patches, and what they are patches of. */
  patches(namespace: number): { readonly id: string; readonly baseId: string }[] {
    const statement = `SELECT c.id, ${BASE} AS base FROM checkpoints c WHERE c.namespace = ? AND c.level < ${SNAPSHOT}`;
    return this.#sql
      .all<{ id: StoredId; base: StoredId }>(statement, namespace)
      .map(({ id, base }) => ({ id: fromStoredId(id), baseId: fromStoredId(base) }));
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
