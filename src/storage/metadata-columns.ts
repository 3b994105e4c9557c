import type { Encoded } from "../checkpoint/encoding.ts";
import { encode } from "../checkpoint/encoding.ts";
import { chain } from "../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { isWellFormed } from "../checkpoint/serde/text.ts";
import type { CheckpointMetadata, MaybePromise } from "../checkpoint/types.ts";
import { UndecodableError, ValueTooLargeError } from "../errors.ts";
import { MAX_METADATA } from "./limits.ts";
import type { SqlInput } from "./sql.ts";
import { fromStoredId, toStoredId } from "./stored-id.ts";
import type { StoredId } from "./stored-id.ts";

/** Metadata as the columns have it: what every checkpoint says of itself, so that SQL can filter by it, and the rest. */
export interface MetadataColumns {
  readonly source: string | null;
  readonly step: number | null;
  readonly run: string | null;
  readonly rest: Encoded | null;
}

export type MetadataRow = {
  source: string | null;
  step: number | null;
  run: StoredId | null;
  metadata_type: string | null;
  metadata: ArrayBuffer | null;
};

export function toColumns(
  serde: SerializerProtocol,
  metadata: Partial<CheckpointMetadata>,
): MaybePromise<MetadataColumns> {
  const { source, step, run_id: run, ...rest } = metadata as Readonly<Record<string, unknown>>;
  const columns = {
    source: isText(source) ? source : null,
    step: isStep(step) ? step : null,
    run: isText(run) ? run : null,
  };
  const others: Record<string, unknown> = {
    ...rest,
    ...(columns.source === null && source !== undefined && { source }),
    ...(columns.step === null && step !== undefined && { step }),
    ...(columns.run === null && run !== undefined && { run_id: run }),
  };
  if (isUsual(others)) return { ...columns, rest: null };
  return chain(encode(serde, others), (encoded) => {
    if (encoded.data.length > MAX_METADATA) throw new ValueTooLargeError(encoded.data.length, MAX_METADATA);
    return { ...columns, rest: encoded };
  });
}

export function fromColumns(serde: SerializerProtocol, row: MetadataRow): MaybePromise<CheckpointMetadata> {
  const columns = {
    ...(row.source !== null && { source: row.source }),
    ...(row.step !== null && { step: row.step }),
    ...(row.run !== null && { run_id: fromStoredId(row.run) }),
  };
  if (row.metadata === null) return { ...columns, parents: {} } as CheckpointMetadata;
  const loading = serde.loadsTyped(row.metadata_type ?? "", new Uint8Array(row.metadata));
  return chain(loading, (rest) => {
    if (typeof rest !== "object" || rest === null) throw new UndecodableError("metadata has another form");
    return { ...columns, ...rest } as CheckpointMetadata;
  });
}

/** The conditions that SQL can check. Rows that meet them may still not match the filter. */
export function conditionsOf(filter: Readonly<Record<string, unknown>> = {}): {
  readonly sql: string;
  readonly inputs: readonly SqlInput[];
} {
  const conditions: [string, SqlInput][] = [];
  const { source, step, run_id: run } = filter;
  if (isText(source)) conditions.push(["source", source]);
  if (isStep(step)) conditions.push(["step", step]);
  if (isText(run)) conditions.push(["run", toStoredId(run)]);
  return {
    sql: conditions.map(([column]) => ` AND c.${column} = ?`).join(""),
    inputs: conditions.map(([, input]) => input),
  };
}

function isUsual(others: Readonly<Record<string, unknown>>): boolean {
  const { parents } = others;
  return (
    Object.keys(others).length === 1 &&
    typeof parents === "object" &&
    parents !== null &&
    Object.getPrototypeOf(parents) === Object.prototype &&
    Object.keys(parents).length === 0
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string" && isWellFormed(value);
}

/** Of the integers, -0 is none: a column would have it as 0. */
function isStep(value: unknown): value is number {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}
