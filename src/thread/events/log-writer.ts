import type { Encoded } from "../../checkpoint/encoding.ts";
import { PART_SIZE } from "../../storage/limits.ts";
import { frameChunk } from "./chunk-frame.ts";
import { type EventLimits, ROW_SIZE } from "./event-limits.ts";
import type { EventRows } from "./event-rows.ts";
import type { LoggedEvent } from "./logged-event.ts";
import type { Position } from "./position.ts";

/** Events, and what the serializer has made of them. */
export interface WrittenBatch {
  readonly events: readonly LoggedEvent[];
  readonly encoded: Encoded | undefined;
}

export interface LogWriterParts {
  /** Undefined as long as there is no thread. */
  readonly rows: () => EventRows | undefined;
  readonly limits: EventLimits;
}

/** What goes into one row, unless it is longer than that. */
interface Load {
  readonly first: Position;
  readonly type: string;
  bytes: Uint8Array;
}

/** Writes the events of one attempt into the rows of its run, which are filled up before others are begun. */
export class LogWriter {
  readonly #runId: string;
  readonly #parts: LogWriterParts;
  /** The last row, as long as more can be added to it. */
  #open: { readonly n: number; readonly type: string; size: number } | undefined;
  #extent: { last: number; size: number } | undefined;

  constructor(runId: string, parts: LogWriterParts) {
    this.#runId = runId;
    this.#parts = parts;
  }

  /** The checkpoint up to which the log is complete; undefined where no row says so. */
  checkpoint(): string | undefined {
    return this.#parts.rows()?.checkpoint(this.#runId);
  }

  /** `checkpoint`: up to which the log is complete with these. */
  append(batches: readonly WrittenBatch[], checkpoint: string | undefined): void {
    const { limits } = this.#parts;
    const rows = this.#parts.rows();
    if (rows === undefined) return;
    const extent = (this.#extent ??= rows.extent(this.#runId));
    for (const load of loadsOf(batches)) {
      this.#add(rows, extent, load, checkpoint);
      extent.size += load.bytes.byteLength;
    }
    // Not with each addition.
    if (extent.size > limits.size)
      extent.size -= rows.removeOldest(this.#runId, extent.size - limits.size * 0.9);
  }

  #add(rows: EventRows, extent: { last: number }, load: Load, checkpoint: string | undefined): void {
    const { first, type, bytes } = load;
    const open = this.#open;
    if (open?.type === type && open.size + bytes.byteLength <= ROW_SIZE) {
      rows.append(this.#runId, open.n, bytes, checkpoint);
      open.size += bytes.byteLength;
      return;
    }
    for (let start = 0; start < bytes.byteLength; start += PART_SIZE) {
      extent.last += 1;
      const body = { type, data: bytes.subarray(start, start + PART_SIZE) };
      const begin = { attempt: first.attempt, seq: start === 0 ? first.seq : null };
      rows.insert(this.#runId, extent.last, begin, body, checkpoint);
    }
    this.#open = bytes.byteLength > ROW_SIZE ? undefined : { n: extent.last, type, size: bytes.byteLength };
  }

  /** The log is complete up to this checkpoint, and there is nothing to add. */
  noteCheckpoint(checkpoint: string): void {
    this.#parts.rows()?.noteCheckpoint(this.#runId, checkpoint);
  }
}

/** Batches that fit into a row together are one load. */
function loadsOf(batches: readonly WrittenBatch[]): Load[] {
  const loads: Load[] = [];
  for (const { events, encoded } of batches) {
    const first = events[0]?.position;
    if (first === undefined || encoded === undefined) continue;
    const { type } = encoded;
    const bytes = frameChunk(encoded.data);
    const load = loads.at(-1);
    if (load?.type === type && load.bytes.byteLength + bytes.byteLength <= ROW_SIZE)
      load.bytes = joined(load.bytes, bytes);
    else loads.push({ first, type, bytes });
  }
  return loads;
}

function joined(start: Uint8Array, end: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(start.byteLength + end.byteLength);
  bytes.set(start);
  bytes.set(end, start.byteLength);
  return bytes;
}
