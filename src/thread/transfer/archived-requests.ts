import { isObject } from "../../values/containers.ts";
import { ENCRYPTED } from "../../checkpoint/serde/encryption/encrypted-type.ts";
import type { Cell, Rows } from "../../archive/records.ts";
import type { Encoded } from "../../checkpoint/encoding.ts";
import { UndecodableError } from "../../errors.ts";
import type { Report } from "../../log.ts";
import { isPassing } from "../../storage/blob-references.ts";
import type { BodyRow } from "../../storage/body-row.ts";
import { toHex } from "../../hex.ts";
import type { RunRequest } from "../runs/run-request.ts";
import type { ThreadStorage } from "../thread-storage.ts";

type Row = Rows["rows"][number];

/** What is told of a run of which nothing else can be. */
const UNKNOWN: RunRequest = { input: { kind: "continue" }, config: {}, onInterrupted: "refuse", modes: [] };

/**
 * What runs were started with, as an archive has it: without webhooks. The address of one is often a key, and readers of the
 * thread are told its origin alone; nor should two threads tell what one was to tell. All of them have ended: what they were
 * started with is there to be told, and nothing goes on with it.
 */
export class ArchivedRequests {
  readonly #storage: ThreadStorage;
  readonly #threadId: string;
  /** By run, where that is not found out again; undefined: what is stored. */
  readonly #instead = new Map<string, Encoded | undefined>();
  /** The blobs that those which go out refer to. */
  readonly used = new Set<string>();
  /** The blobs that hold what is left out. */
  readonly leftOut = new Set<string>();
  /** Whether some go out that cannot be read, since they are encrypted. */
  hasSealed = false;

  private constructor(storage: ThreadStorage, threadId: string) {
    this.#storage = storage;
    this.#threadId = threadId;
  }

  /** Refuses what cannot be read now, but may be later. What can never be, it reports. */
  static async of(storage: ThreadStorage, threadId: string, report: Report): Promise<ArchivedRequests> {
    const requests = new ArchivedRequests(storage, threadId);
    for (const { id, request } of storage.runs.eachBodies()) {
      await requests.#take(id, request).catch(async (error: unknown) => {
        if (isPassing(error)) throw error;
        report(error, { run_id: id });
        await requests.#takeUnreadable(id, request);
      });
    }
    return requests;
  }

  /** The row of a run, as it is archived. */
  async archived(columns: readonly string[], row: Row): Promise<Row> {
    const cellOf = (column: string): Cell => row[columns.indexOf(column)] ?? null;
    const [id, type, body] = [String(cellOf("id")), String(cellOf("request_type")), cellOf("request")];
    const instead =
      body instanceof Uint8Array && !this.#instead.has(id)
        ? await this.#take(id, { type, body: new Uint8Array(body).buffer, body_hash: null })
        : this.#instead.get(id);
    if (instead === undefined) return row;
    const changed: Readonly<Record<string, Cell>> = {
      request_type: instead.type,
      request: instead.data,
      request_hash: null,
    };
    return columns.map((column) => (column in changed ? (changed[column] ?? null) : cellOf(column)));
  }

  /** What the row has instead, undefined where it stays as it is. */
  async #take(id: string, row: BodyRow): Promise<Encoded | undefined> {
    const { records } = this.#storage;
    const { webhook, ...others } = requestIn(await records.stored(this.#threadId, row));
    const kept = records.referencesIn(others);
    if (webhook === undefined) {
      noteAll(this.used, [...kept, ...hashesOf(row)]);
      return undefined;
    }
    noteAll(this.leftOut, [...records.referencesIn(webhook), ...hashesOf(row)]);
    if (row.body_hash === null) {
      noteAll(this.used, kept);
      return records.encoded(others);
    }
    // Without all that can be large: the checkpoints have what came of it.
    const small = await records.encoded({ ...others, input: UNKNOWN.input, config: UNKNOWN.config });
    this.#instead.set(id, small);
    return small;
  }

  async #takeUnreadable(id: string, row: BodyRow): Promise<void> {
    if (row.type === ENCRYPTED) {
      this.hasSealed = true;
      noteAll(this.used, hashesOf(row));
      this.#instead.set(id, undefined);
      return;
    }
    noteAll(this.leftOut, hashesOf(row));
    this.#instead.set(id, await this.#storage.records.encoded(UNKNOWN));
  }
}

/** What a router sent and an object stored, in the shape that it was parsed into; of damaged bytes it may be anything. */
function requestIn(stored: unknown): RunRequest {
  if (isObject(stored) && "input" in stored) return stored as RunRequest;
  throw new UndecodableError("what a run was started with is no request");
}

function hashesOf({ body_hash: hash }: BodyRow): string[] {
  return hash === null ? [] : [toHex(new Uint8Array(hash))];
}

function noteAll(set: Set<string>, hashes: readonly string[]): void {
  for (const hash of hashes) set.add(hash);
}
