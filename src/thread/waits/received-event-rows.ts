import type { Encoded } from "../../checkpoint/encoding.ts";
import type { LazyTable } from "../../storage/lazy-table.ts";

const DAY = 24 * 60 * 60 * 1000;
/** How long an event waits for a reader, in milliseconds. */
const KEPT_FOR = 30 * DAY;
/** How long one that was given to a run is known, so that it is not given to another when it is sent again. */
const KNOWN_FOR = 7 * DAY;

/** An event as its row has it. */
export interface StoredEvent {
  readonly id: string;
  readonly key: string;
  /** Absent once a run has taken it. */
  readonly payload: Encoded | undefined;
  /** The run that it was given to. */
  readonly run: string | undefined;
}

export interface NewEvent {
  readonly id: string;
  readonly key: string;
  readonly payload: Encoded;
  /** The same for the same event of the same sender. */
  readonly delivery: string | undefined;
  readonly receivedAt: number;
  readonly run: string | undefined;
}

type Columns = {
  id: string;
  key: string;
  payload_type: string | null;
  payload: ArrayBuffer | null;
  run: string | null;
};

/** The statements on `received_events`. */
export class ReceivedEventRows {
  readonly #table: LazyTable;

  constructor(table: LazyTable) {
    this.#table = table;
  }

  get(id: string): StoredEvent | undefined {
    const row = this.#table.first<Columns>("SELECT * FROM received_events WHERE id = ?", id);
    return row && fromColumns(row);
  }

  ofDelivery(delivery: string): StoredEvent | undefined {
    const row = this.#table.first<Columns>("SELECT * FROM received_events WHERE delivery = ?", delivery);
    return row && fromColumns(row);
  }

  /** The oldest events with the key that nobody has got. */
  kept(key: string, limit: number, now: number): StoredEvent[] {
    const statement =
      "SELECT * FROM received_events WHERE run IS NULL AND key = ? AND received_at > ? ORDER BY seq LIMIT ?";
    return this.#table.all<Columns>(statement, key, now - KEPT_FOR, limit).map(fromColumns);
  }

  countKept(): number {
    const statement = "SELECT count(*) AS count FROM received_events WHERE run IS NULL";
    return this.#table.first<{ count: number }>(statement)?.count ?? 0;
  }

  insert({ id, key, delivery, payload, receivedAt, run }: NewEvent): void {
    this.#table.insert(
      `INSERT INTO received_events (id, key, delivery, payload_type, payload, received_at, run)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      id,
      key,
      delivery ?? null,
      payload.type,
      payload.data,
      receivedAt,
      run ?? null,
    );
  }

  give(id: string, run: string): void {
    this.#table.change("UPDATE received_events SET run = ? WHERE id = ?", run, id);
  }

  /** The run has left the queue: what it has taken is gone, what it has not waits again. */
  settle(run: string, isTaken: boolean): void {
    const change = isTaken ? "payload_type = NULL, payload = NULL" : "run = NULL";
    this.#table.change(
      `UPDATE received_events SET ${change} WHERE run = ? AND payload_type IS NOT NULL`,
      run,
    );
  }

  removeOld(now: number): void {
    const statement =
      "DELETE FROM received_events WHERE received_at <= ? AND (received_at <= ? OR (run IS NOT NULL AND payload_type IS NULL))";
    this.#table.change(statement, now - KNOWN_FOR, now - KEPT_FOR);
  }
}

function fromColumns({ id, key, payload_type: type, payload, run }: Columns): StoredEvent {
  return {
    id,
    key,
    payload: type === null || payload === null ? undefined : { type, data: new Uint8Array(payload) },
    run: run ?? undefined,
  };
}
