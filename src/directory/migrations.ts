// Made of migrations/directory by `npm run tables`.
import type { Migration } from "../storage/migrations.ts";

/** The tables of a directory object, in the order in which they came. */
export const directoryMigrations: readonly Migration[] = [
  {
    version: 1,
    name: "threads",
    sql: "CREATE TABLE threads ( id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, status TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, state_updated_at INTEGER NOT NULL, entry TEXT NOT NULL ); CREATE INDEX threads_by_created_at ON threads (created_at, thread_id); CREATE INDEX threads_by_updated_at ON threads (updated_at, thread_id); CREATE INDEX threads_by_state_updated_at ON threads (state_updated_at, thread_id); CREATE INDEX threads_by_status ON threads (status, thread_id); CREATE TABLE thread_keys ( path TEXT NOT NULL, value TEXT NOT NULL, thread INTEGER NOT NULL, PRIMARY KEY (path, value, thread) ) WITHOUT ROWID; CREATE TABLE questions ( asked_at INTEGER NOT NULL, thread INTEGER NOT NULL, interrupt TEXT NOT NULL, question TEXT NOT NULL, PRIMARY KEY (asked_at, thread, interrupt) ) WITHOUT ROWID;",
  },
  {
    version: 2,
    name: "assistants",
    sql: "CREATE TABLE assistants ( assistant_id TEXT PRIMARY KEY, version INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL ) WITHOUT ROWID; CREATE TABLE assistant_versions ( assistant_id TEXT NOT NULL, version INTEGER NOT NULL, created_at INTEGER NOT NULL, assistant TEXT NOT NULL, PRIMARY KEY (assistant_id, version) ) WITHOUT ROWID;",
  },
  {
    version: 3,
    name: "store",
    sql: "CREATE TABLE items ( namespace TEXT NOT NULL, key TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, type TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (namespace, key) ) WITHOUT ROWID;",
  },
  {
    version: 4,
    name: "erasures",
    sql: "CREATE TABLE erasures ( thread_id TEXT PRIMARY KEY ) WITHOUT ROWID;",
  },
  {
    version: 5,
    name: "item_lives",
    sql: "ALTER TABLE items ADD COLUMN ttl INTEGER; ALTER TABLE items ADD COLUMN expires_at INTEGER; CREATE INDEX items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL; CREATE TABLE item_vectors ( namespace TEXT NOT NULL, key TEXT NOT NULL, part INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (namespace, key, part) ) WITHOUT ROWID;",
  },
  {
    version: 6,
    name: "erasure_tries",
    sql: "ALTER TABLE erasures ADD COLUMN tried INTEGER NOT NULL DEFAULT 0;",
  },
  {
    version: 7,
    name: "expected_threads",
    sql: "ALTER TABLE threads ADD COLUMN expected_by INTEGER; ALTER TABLE threads ADD COLUMN object_id TEXT; CREATE INDEX threads_expected ON threads (expected_by) WHERE expected_by IS NOT NULL;",
  },
];
