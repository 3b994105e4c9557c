import type { LazyTable } from "../../storage/lazy-table.ts";
import type { HashedKey } from "./content-hashes.ts";
import { keyReused } from "../errors.ts";
import type { Idempotency } from "../call.ts";

/** How long a key is known, in milliseconds. */
const KEPT_FOR = 24 * 60 * 60 * 1000;

/** The statements on `idempotency_keys`. A key is its caller's own. */
export class IdempotencyRows {
  readonly #table: LazyTable;

  constructor(table: LazyTable) {
    this.#table = table;
  }

  /** What came of the request with this key: the id of a run or an edit, an answer. Refuses a key that came with another request. */
  find({ caller, key, hash, earlier }: HashedKey, now: number): string | undefined {
    const statement =
      "SELECT hash, result FROM idempotency_keys WHERE caller = ? AND key = ? AND created_at > ?";
    const row = this.#table.first<{ hash: string; result: string }>(statement, caller, key, now - KEPT_FOR);
    if (row !== undefined && row.hash !== hash && !earlier.includes(row.hash)) throw keyReused(key);
    return row?.result;
  }

  /** Until when a key leads to what came of it; 0 when there is none. */
  knownUntil(): number {
    const statement = "SELECT max(created_at) AS newest FROM idempotency_keys";
    const newest = this.#table.first<{ newest: number | null }>(statement)?.newest ?? undefined;
    return newest === undefined ? 0 : newest + KEPT_FOR;
  }

  removeOld(now: number): void {
    this.#table.change("DELETE FROM idempotency_keys WHERE created_at <= ?", now - KEPT_FOR);
  }

  /** In the place of what was known by it. Forgets the keys that are too old, too. */
  insert({ caller, key, hash }: Idempotency, result: string, now: number): void {
    this.removeOld(now);
    this.#table.insert(
      "INSERT OR REPLACE INTO idempotency_keys (caller, key, hash, result, created_at) VALUES (?, ?, ?, ?, ?)",
      caller,
      key,
      hash,
      result,
      now,
    );
  }

  remove({ caller, key }: Idempotency): void {
    this.#table.change("DELETE FROM idempotency_keys WHERE caller = ? AND key = ?", caller, key);
  }

  /** For what was refused, and had come then: nothing has come of it. */
  removeOf(result: string, createdAt: number): void {
    this.#table.change("DELETE FROM idempotency_keys WHERE created_at = ? AND result = ?", createdAt, result);
  }
}
