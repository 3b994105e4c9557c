import type { LazyTable } from "../../storage/lazy-table.ts";

export type DeliveryStatus = "waiting" | "pending" | "delivered" | "failed";

export interface Delivery {
  readonly id: string;
  readonly run: string;
  readonly status: DeliveryStatus;
  /** Begun so far. */
  readonly attempts: number;
  /** Times are milliseconds since 1970. */
  readonly createdAt: number;
  readonly endedAt: number | undefined;
  /** What the last attempt came to: the status of its answer, or why there was none. */
  readonly response: number | undefined;
  readonly error: string | undefined;
}

type Columns = {
  id: string;
  run: string;
  status: DeliveryStatus;
  attempts: number;
  created_at: number;
  ended_at: number | null;
  response: number | null;
  error: string | null;
};

/** What an attempt came to. */
export type Attempted = Pick<Delivery, "response" | "error">;

/** The id of what is told of a run: that is told once. */
export function deliveryOf(runId: string): string {
  return `msg_${runId}`;
}

/** The statements on `deliveries`. */
export class DeliveryRows {
  readonly #table: LazyTable;

  constructor(table: LazyTable) {
    this.#table = table;
  }

  insert(run: string): void {
    this.#table.insert(
      "INSERT INTO deliveries (id, run, status, created_at) VALUES (?, ?, 'waiting', 0)",
      deliveryOf(run),
      run,
    );
  }

  /** The run has ended. Returns whether there is something to deliver. */
  release(id: string, now: number): boolean {
    const statement =
      "UPDATE deliveries SET status = 'pending', created_at = ? WHERE id = ? AND status = 'waiting'";
    return this.#table.change(statement, now, id) > 0;
  }

  get(id: string): Delivery | undefined {
    const row = this.#table.first<Columns>("SELECT * FROM deliveries WHERE id = ?", id);
    return row && fromColumns(row);
  }

  /** Those of the newest runs first, and of runs that go on left out. */
  list(limit: number): Delivery[] {
    const statement = "SELECT * FROM deliveries WHERE status <> 'waiting' ORDER BY id DESC LIMIT ?";
    return this.#table.all<Columns>(statement, limit).map(fromColumns);
  }

  begin(id: string): void {
    this.#table.change("UPDATE deliveries SET attempts = attempts + 1 WHERE id = ?", id);
  }

  note(id: string, { response, error }: Attempted): void {
    const statement = "UPDATE deliveries SET response = ?, error = ? WHERE id = ?";
    this.#table.change(statement, response ?? null, error ?? null, id);
  }

  end(id: string, status: "delivered" | "failed", now: number): void {
    this.#table.change("UPDATE deliveries SET status = ?, ended_at = ? WHERE id = ?", status, now, id);
  }

  removeOf(run: string): void {
    this.#table.change("DELETE FROM deliveries WHERE id = ?", deliveryOf(run));
  }

  /** Those of runs that are gone. */
  removeLost(): void {
    this.#table.change("DELETE FROM deliveries WHERE run NOT IN (SELECT id FROM runs)");
  }
}

function fromColumns(row: Columns): Delivery {
  return {
    id: row.id,
    run: row.run,
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
    response: row.response ?? undefined,
    error: row.error ?? undefined,
  };
}
