import * as v from "valibot";
import { isObject } from "../values/containers.ts";
import { InvalidArchiveError } from "./errors.ts";

const Bytes = v.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** What a column holds. */
const Cell = v.union([v.null(), v.number(), v.string(), Bytes]);

const Id = v.pipe(v.string(), v.minLength(1));
const Size = v.pipe(v.number(), v.integer(), v.minValue(0));
const Write = v.strictTuple([Id, Id, v.unknown()]);

/** The first record. `schema` is the version of the tables that the rows are from, 0 when there are none. */
const ThreadHeader = v.strictObject({
  kind: v.literal("thread"),
  schema: Size,
  /** The graph that the thread is bound to, "" while it is to none. Absent: the only one of the deployment. */
  graph: v.optional(v.union([v.literal(""), Id])),
  /** The other columns of the thread's own row. */
  columns: v.optional(v.record(v.string(), Cell)),
  /** The hashes of large values that something in the archive refers to, and that were gone when it was written. */
  missingBlobs: v.optional(v.pipe(v.array(Id), v.readonly())),
});

/** Rows of one table, in the order of its key. A table may come in several of these. */
const Rows = v.strictObject({
  kind: v.literal("rows"),
  table: Id,
  columns: v.pipe(v.array(Id), v.readonly()),
  rows: v.pipe(v.array(v.pipe(v.array(Cell), v.readonly())), v.readonly()),
});

/** A part of a large value; all parts of one follow each other. */
const BlobPart = v.strictObject({
  kind: v.literal("blob"),
  hash: Id,
  /** Of all parts together, in bytes. */
  size: Size,
  bytes: Bytes,
});

const Version = v.union([v.number(), v.string()]);
const Versions = v.record(v.string(), Version);

const Checkpoint = v.looseObject({
  v: v.number(),
  id: Id,
  ts: v.string(),
  channel_values: v.record(v.string(), v.unknown()),
  /** Older ones have neither. */
  channel_versions: v.optional(Versions, {}),
  versions_seen: v.optional(v.record(v.string(), Versions), {}),
});

const Metadata = v.looseObject({
  source: v.picklist(["input", "loop", "update", "fork"]),
  step: v.number(),
  parents: v.optional(v.record(v.string(), v.string()), {}),
});

/** A checkpoint of another saver of LangGraph's family, after its parent, with the writes that were made at it. */
const SavedCheckpoint = v.strictObject({
  kind: v.literal("checkpoint"),
  namespace: v.string(),
  parentId: v.optional(Id),
  checkpoint: Checkpoint,
  metadata: Metadata,
  /** Task, channel and value. */
  writes: v.array(Write),
});

/** The last record; counts those before it. */
const End = v.strictObject({ kind: v.literal("end"), records: Size });

const SCHEMAS = { thread: ThreadHeader, rows: Rows, blob: BlobPart, checkpoint: SavedCheckpoint, end: End };

export type Cell = v.InferOutput<typeof Cell>;
export type ThreadHeader = v.InferOutput<typeof ThreadHeader>;
export type Rows = v.InferOutput<typeof Rows>;
export type BlobPart = v.InferOutput<typeof BlobPart>;
export type SavedCheckpoint = v.InferOutput<typeof SavedCheckpoint>;
export type ArchiveRecord = v.InferOutput<(typeof SCHEMAS)[keyof typeof SCHEMAS]>;
export type ContentRecord = Exclude<ArchiveRecord, { kind: "end" }>;

export function parseRecord(value: unknown): ArchiveRecord {
  const kind = isObject(value) ? Reflect.get(value, "kind") : undefined;
  if (!isKind(kind)) throw new InvalidArchiveError("a record is of an unknown kind");
  const result = v.safeParse(SCHEMAS[kind], value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new InvalidArchiveError(`a record is not valid at "${v.getDotPath(issue) ?? ""}": ${issue.message}`);
}

function isKind(kind: unknown): kind is keyof typeof SCHEMAS {
  return typeof kind === "string" && Object.hasOwn(SCHEMAS, kind);
}
