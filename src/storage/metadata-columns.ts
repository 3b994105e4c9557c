import { isObject } from "../values/containers.ts";
import { encode } from "../checkpoint/encoding.ts";
import { chain } from "../checkpoint/maybe-promise.ts";
import { MsgpackSerializer } from "../checkpoint/serde/msgpack-serializer.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { isWellFormed } from "../checkpoint/serde/text.ts";
import type { CheckpointMetadata, MaybePromise } from "../checkpoint/types.ts";
import { UndecodableError, ValueTooLargeError } from "../errors.ts";
import { conditionsOnJson, isJson, type SqlCondition } from "./json-conditions.ts";
import { utf8Length } from "./large-leaf.ts";
import { MAX_METADATA } from "./limits.ts";
import type { SqlInput } from "./sql.ts";
import { fromStoredId, toStoredId } from "./stored-id.ts";
import type { StoredId } from "./stored-id.ts";

/** The type of metadata that is text. */
const JSON_TYPE = "json-text";
const JSON_COLUMN = "c.metadata";

/** Metadata as the columns have it: what every checkpoint says of itself, so that SQL can filter by it, and the rest. */
export interface MetadataColumns {
  readonly source: string | null;
  readonly step: number | null;
  readonly run: string | null;
  readonly rest: EncodedMetadata | null;
}

/** What the serializer has written, or JSON as text. */
interface EncodedMetadata {
  readonly type: string;
  readonly data: Uint8Array | string;
}

export type MetadataRow = {
  source: string | null;
  step: number | null;
  run: StoredId | null;
  metadata_type: string | null;
  metadata: ArrayBuffer | string | null;
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
  return chain(encodeRest(serde, others), (encoded) => {
    const size = typeof encoded.data === "string" ? utf8Length(encoded.data) : encoded.data.length;
    if (size > MAX_METADATA) throw new ValueTooLargeError(size, MAX_METADATA, undefined, "The metadata");
    return { ...columns, rest: encoded };
  });
}

/** The columns as a row has them. */
export function readColumns({
  source,
  step,
  run,
  metadata_type: type,
  metadata,
}: MetadataRow): MetadataColumns {
  const data = metadata instanceof ArrayBuffer ? new Uint8Array(metadata) : metadata;
  return {
    source,
    step,
    run: run === null ? null : fromStoredId(run),
    rest: data === null ? null : { type: type ?? "", data },
  };
}

export function fromColumns(
  serde: SerializerProtocol,
  { source, step, run, rest: encoded }: MetadataColumns,
): MaybePromise<CheckpointMetadata> {
  const columns = {
    ...(source !== null && { source }),
    ...(step !== null && { step }),
    ...(run !== null && { run_id: run }),
  };
  if (encoded === null) return { ...columns, parents: {} } as CheckpointMetadata;
  const loading = serde.loadsTyped(encoded.type, encoded.data);
  return chain(loading, (rest) => {
    if (!isObject(rest)) throw new UndecodableError("metadata has another form");
    return { ...columns, ...rest } as CheckpointMetadata;
  });
}

/** A serializer of another kind may encrypt: then SQL is not to look into it. */
function encodeRest(
  serde: SerializerProtocol,
  others: Readonly<Record<string, unknown>>,
): MaybePromise<EncodedMetadata> {
  return serde instanceof MsgpackSerializer && isJson(others)
    ? { type: JSON_TYPE, data: JSON.stringify(others) }
    : encode(serde, others);
}

/** The conditions that SQL can check. Rows that meet them may still not match the filter. */
export function conditionsOf(filter: Readonly<Record<string, unknown>> = {}): {
  readonly sql: string;
  readonly inputs: readonly SqlInput[];
} {
  const { source, step, run_id: run, parents: _, ...rest } = filter;
  const conditions: SqlCondition[] = [];
  if (isText(source)) conditions.push({ sql: "c.source = ?", inputs: [source] });
  if (isStep(step)) conditions.push({ sql: "c.step = ?", inputs: [step] });
  if (isText(run)) conditions.push({ sql: "c.run = ?", inputs: [toStoredId(run)] });
  const inJson = conditionsOnJson(JSON_COLUMN, rest);
  if (inJson.length > 0) {
    // Usual metadata has nothing else; what is not JSON, or damaged, is looked at when it is decoded.
    const sql = `CASE WHEN c.metadata_type IS NULL THEN 0
      WHEN c.metadata_type = '${JSON_TYPE}' AND json_valid(${JSON_COLUMN})
      THEN ${inJson.map((each) => each.sql).join(" AND ")} ELSE 1 END`;
    conditions.push({ sql, inputs: inJson.flatMap((each) => each.inputs) });
  }
  return {
    sql: conditions.map((each) => ` AND ${each.sql}`).join(""),
    inputs: conditions.flatMap((each) => each.inputs),
  };
}

function isUsual(others: Readonly<Record<string, unknown>>): boolean {
  const { parents } = others;
  return (
    Object.keys(others).length === 1 &&
    isObject(parents) &&
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
