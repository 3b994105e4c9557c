import type { Sql } from "../storage/sql.ts";
import type { Assistant } from "./protocol.ts";

/** What differs from version to version. */
type Said = Omit<Assistant, "assistantId" | "version" | "createdAt" | "updatedAt">;

type Columns = {
  assistant_id: string;
  version: number;
  created_at: number;
  updated_at: number;
  assistant: string;
};

const LATEST = `SELECT a.assistant_id, a.version, a.created_at, a.updated_at, v.assistant
  FROM assistants a JOIN assistant_versions v ON v.assistant_id = a.assistant_id AND v.version = a.version`;

/** The statements on `assistants` and `assistant_versions`. */
export class AssistantRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get(assistantId: string): Assistant | undefined {
    const row = this.#sql.first<Columns>(`${LATEST} WHERE a.assistant_id = ?`, assistantId);
    return row && fromColumns(row);
  }

  all(): readonly Assistant[] {
    return this.#sql.all<Columns>(LATEST).map(fromColumns);
  }

  /** The newest first. The time of a version is when it was made. */
  versions(assistantId: string): readonly Assistant[] {
    const statement = `SELECT assistant_id, version, created_at, created_at AS updated_at, assistant
      FROM assistant_versions WHERE assistant_id = ? ORDER BY version DESC`;
    return this.#sql.all<Columns>(statement, assistantId).map(fromColumns);
  }

  /** Adds the version, which is the one that counts from now on. */
  put({ assistantId, version, createdAt, updatedAt, ...said }: Assistant): void {
    const row =
      "INSERT INTO assistant_versions (assistant_id, version, created_at, assistant) VALUES (?, ?, ?, ?)";
    const text: Said = said;
    this.#sql.run(row, assistantId, version, updatedAt, JSON.stringify(text));
    const latest = `INSERT INTO assistants (assistant_id, version, created_at, updated_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (assistant_id) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at`;
    this.#sql.run(latest, assistantId, version, createdAt, updatedAt);
  }

  setLatest(assistantId: string, version: number, now: number): void {
    const statement = "UPDATE assistants SET version = ?, updated_at = ? WHERE assistant_id = ?";
    this.#sql.run(statement, version, now, assistantId);
  }

  /** All versions up to this one. */
  forget(assistantId: string, version: number): void {
    const statement = "DELETE FROM assistant_versions WHERE assistant_id = ? AND version <= ?";
    this.#sql.run(statement, assistantId, version);
  }

  remove(assistantId: string): void {
    this.#sql.run("DELETE FROM assistants WHERE assistant_id = ?", assistantId);
    this.#sql.run("DELETE FROM assistant_versions WHERE assistant_id = ?", assistantId);
  }
}

function fromColumns({ assistant, ...row }: Columns): Assistant {
  return {
    assistantId: row.assistant_id,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    // What `put` has written.
    ...(JSON.parse(assistant) as Said),
  };
}
