import type { Cell, Rows } from "../archive/records.ts";
import type { Encoded } from "../checkpoint/encoding.ts";
import type { BodyRow } from "../storage/body-row.ts";
import { toHex } from "../storage/stored-id.ts";
import type { RunRequest } from "./protocol.ts";
import type { ThreadStorage } from "./thread-storage.ts";

type Row = Rows["rows"][number];
type Page = Pick<Rows, "columns" | "rows">;

/** Tables with a row, or several, for each large value. */
const BLOBS: readonly string[] = ["blobs", "parts"];

/**
 * What runs were started with, as an archive has it: without webhooks. The address of one is often a key, and readers of the
 * thread are told its origin alone; nor should two threads tell what one was to tell.
 */
export class ArchivedRequests {
  readonly #storage: ThreadStorage;
  readonly #threadId: string;
  /** By the hash of a request that lies apart and is left out: what the run has instead. */
  readonly #instead = new Map<string, Encoded>();

  private constructor(storage: ThreadStorage, threadId: string) {
    this.#storage = storage;
    this.#threadId = threadId;
  }

  static async of(storage: ThreadStorage, threadId: string): Promise<ArchivedRequests> {
    const requests = new ArchivedRequests(storage, threadId);
    for (const row of storage.runs.requestsApart()) {
      const instead = await storage.records.changed(threadId, row, withoutAll);
      if (instead !== undefined) requests.#instead.set(hexOf(row.body_hash), instead);
    }
    return requests;
  }

  leavesOut(hash: string): boolean {
    return this.#instead.has(hash);
  }

  /** The rows of a page, as they are archived. */
  async archived(table: string, { columns, rows }: Page): Promise<Page> {
    if (table === "runs") {
      const runs = await Promise.all(rows.map((row) => this.#run(columns, row)));
      return { columns, rows: runs };
    }
    if (!BLOBS.includes(table)) return { columns, rows };
    const hash = columns.indexOf("hash");
    return { columns, rows: rows.filter((row) => !this.leavesOut(hexOf(row[hash]))) };
  }

  async #run(columns: readonly string[], row: Row): Promise<Row> {
    const cellOf = (column: string): Cell => row[columns.indexOf(column)] ?? null;
    const [type, body, hash] = ["request_type", "request", "request_hash"].map(cellOf);
    const instead =
      body instanceof Uint8Array
        ? await this.#storage.records.changed(this.#threadId, inlineRow(String(type), body), withoutWebhook)
        : this.#instead.get(hexOf(hash));
    if (instead === undefined) return row;
    const changed: Readonly<Record<string, Cell>> = {
      request_type: instead.type,
      request: instead.data,
      request_hash: null,
    };
    return columns.map((column) => (column in changed ? (changed[column] ?? null) : cellOf(column)));
  }
}

/** Undefined where there is none. */
function withoutWebhook(stored: unknown): Partial<RunRequest> | undefined {
  const { webhook, ...others } = stored as RunRequest;
  return webhook === undefined ? undefined : others;
}

/** Also without all that can be large: the checkpoints have what came of it. */
function withoutAll(stored: unknown): Partial<RunRequest> | undefined {
  const others = withoutWebhook(stored);
  return others && { ...others, input: { kind: "continue" }, config: {} };
}

function inlineRow(type: string, body: Uint8Array): BodyRow {
  return { type, body: new Uint8Array(body).buffer, body_hash: null };
}

function hexOf(hash: ArrayBuffer | Cell | undefined): string {
  return typeof hash === "object" && hash !== null ? toHex(new Uint8Array(hash)) : "";
}
