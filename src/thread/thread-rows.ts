import { isRecord } from "../values/containers.ts";
import type { JsonObject } from "../directory/protocol.ts";
import { schemaVersion } from "../storage/migrations.ts";
import { Sql, type SqlInput } from "../storage/sql.ts";
import { Remembered } from "./remembered.ts";

/** Times are milliseconds since 1970. */
export interface ThreadRow {
  readonly tenant: string;
  readonly thread_id: string;
  /** Bound by the first run; "" before it. */
  readonly graph: string;
  readonly created_at: number;
  /** 1 while the thread is being deleted. */
  readonly deleting: number;
  /** What its owner has said of it, and by which it is found. */
  readonly metadata: JsonObject;
  /** When that was changed; null when it never was. */
  readonly updated_at: number | null;
  /** How long after its last use the thread is deleted, in milliseconds; null where that is not its own. */
  readonly ttl: number | null;
  /** Grows with what has changed since the directory was told last. */
  readonly version: number;
}

export type NewThread = Pick<ThreadRow, "tenant" | "thread_id" | "graph" | "created_at" | "metadata"> & {
  readonly ttl?: number;
};

type Columns = {
  tenant: string;
  thread_id: string;
  graph: string;
  created_at: number;
  deleting: number;
  metadata: string;
  updated_at: number | null;
  ttl: number | null;
  version: number;
};

/** Whose thread there is, if there is one, in the tables of whatever version. */
export function storedTenant(sql: SqlStorage): string | undefined {
  if (schemaVersion(sql) === 0) return undefined;
  return new Sql(sql).first<{ tenant: string }>("SELECT tenant FROM thread")?.tenant;
}

/** The statements on `thread`. */
export class ThreadRows {
  readonly #sql: Sql;
  readonly #row = new Remembered<ThreadRow | undefined>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get(): ThreadRow | undefined {
    return this.#row.read(() => this.#read());
  }

  /** The row may be another than it was. */
  forget(): void {
    this.#row.forget();
  }

  /** The table was made just now. */
  noteEmpty(): void {
    this.#row.know(undefined);
  }

  insert({ tenant, thread_id, graph, created_at, metadata, ttl: given }: NewThread): void {
    const ttl = given ?? null;
    const statement =
      "INSERT INTO thread (id, tenant, thread_id, graph, created_at, metadata, ttl) VALUES (1, ?, ?, ?, ?, ?, ?)";
    this.#write(statement, tenant, thread_id, graph, created_at, JSON.stringify(metadata), ttl);
    const told = { updated_at: null, deleting: 0, version: 0 };
    this.#row.know({ tenant, thread_id, graph, created_at, metadata, ttl, ...told });
  }

  /** Binds the thread, which has run nothing yet. */
  bind(graph: string, metadata: JsonObject): void {
    this.#row.change((row) => row && { ...row, graph, metadata });
    this.#sql.run("UPDATE thread SET graph = ?, metadata = ?", graph, JSON.stringify(metadata));
  }

  setMetadata(metadata: JsonObject, now: number): void {
    this.#write("UPDATE thread SET metadata = ?, updated_at = ?", JSON.stringify(metadata), now);
  }

  setTtl(ttl: number): void {
    this.#write("UPDATE thread SET ttl = ?", ttl);
  }

  /** Something has changed that the directory is told of. */
  noteChange(now: number): void {
    this.#row.change((row) => row && { ...row, version: Math.max(row.version + 1, now) });
    this.#sql.run("UPDATE thread SET version = max(version + 1, ?)", now);
  }

  markDeleting(): void {
    this.#write("UPDATE thread SET deleting = 1");
  }

  #read(): ThreadRow | undefined {
    const row = this.#sql.first<Columns>(
      "SELECT tenant, thread_id, graph, created_at, deleting, metadata, updated_at, ttl, version FROM thread",
    );
    return row && { ...row, metadata: parseMetadata(row.metadata) };
  }

  #write(statement: string, ...inputs: SqlInput[]): void {
    this.forget();
    this.#sql.run(statement, ...inputs);
  }
}

/** A row that says something else can be read all the same: it has to be, to be deleted. */
function parseMetadata(text: string): JsonObject {
  return (text === "{}" ? undefined : parseJsonObject(text)) ?? NONE;
}

/** Undefined when the text is none. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Of what was JSON text. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

const NONE: JsonObject = {};
