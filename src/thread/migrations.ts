// Made of migrations/thread by `npm run tables`.
import type { Migration } from "../storage/migrations.ts";

/** The tables of a thread object, in the order in which they came. */
export const threadMigrations: readonly Migration[] = [
  {
    version: 1,
    name: "checkpoints",
    sql: "CREATE TABLE namespaces ( id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, ns TEXT NOT NULL, UNIQUE (thread_id, ns) ); CREATE TABLE checkpoints ( namespace INTEGER NOT NULL, id BLOB NOT NULL, parent BLOB, source TEXT, step INTEGER, run BLOB, metadata_type TEXT, metadata BLOB, level INTEGER NOT NULL, base BLOB, weight INTEGER NOT NULL, type TEXT NOT NULL, body BLOB, body_hash BLOB, PRIMARY KEY (namespace, id), CHECK ((body IS NULL) <> (body_hash IS NULL)) ) WITHOUT ROWID; CREATE TABLE writes ( namespace INTEGER NOT NULL, checkpoint BLOB NOT NULL, task BLOB NOT NULL, type TEXT NOT NULL, body BLOB, body_hash BLOB, PRIMARY KEY (namespace, checkpoint, task), CHECK ((body IS NULL) <> (body_hash IS NULL)) ) WITHOUT ROWID; CREATE TABLE blobs ( thread_id TEXT NOT NULL, hash BLOB NOT NULL, generation TEXT, size INTEGER NOT NULL, PRIMARY KEY (thread_id, hash) ) WITHOUT ROWID; CREATE TABLE parts ( thread_id TEXT NOT NULL, hash BLOB NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (thread_id, hash, n) ) WITHOUT ROWID;",
  },
  {
    version: 2,
    name: "runs",
    sql: "CREATE TABLE thread ( id INTEGER PRIMARY KEY CHECK (id = 1), tenant TEXT NOT NULL, thread_id TEXT NOT NULL, graph TEXT NOT NULL, created_at INTEGER NOT NULL, deleting INTEGER NOT NULL DEFAULT 0 ); CREATE TABLE runs ( id TEXT NOT NULL PRIMARY KEY, status TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, stalled INTEGER NOT NULL DEFAULT 0, input_applied INTEGER NOT NULL DEFAULT 0, last_step INTEGER, fault TEXT, created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, request_type TEXT NOT NULL, request BLOB, request_hash BLOB, context_type TEXT, context BLOB, outcome_type TEXT, outcome BLOB, outcome_hash BLOB ) WITHOUT ROWID; CREATE TABLE queue ( position INTEGER PRIMARY KEY, run TEXT NOT NULL );",
  },
  {
    version: 3,
    name: "safe_resume",
    sql: "CREATE TABLE answers ( interrupt TEXT NOT NULL, checkpoint TEXT NOT NULL, hash BLOB NOT NULL, run TEXT NOT NULL, answered_at INTEGER NOT NULL, answered_by TEXT, PRIMARY KEY (interrupt, checkpoint, hash) ) WITHOUT ROWID; CREATE TABLE idempotency_keys ( caller TEXT NOT NULL, key TEXT NOT NULL, hash TEXT NOT NULL, result TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (caller, key) ) WITHOUT ROWID;",
  },
  {
    version: 4,
    name: "encrypted_blobs",
    sql: "ALTER TABLE blobs ADD COLUMN type TEXT;",
  },
  {
    version: 5,
    name: "encoded_faults",
    sql: "ALTER TABLE runs ADD COLUMN fault_type TEXT;",
  },
  {
    version: 6,
    name: "timers",
    sql: "CREATE TABLE timers ( kind TEXT NOT NULL, id TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (kind, id) ) WITHOUT ROWID; INSERT INTO timers (kind, id, due) SELECT 'queue', '', 1 FROM queue LIMIT 1; INSERT INTO timers (kind, id, due) SELECT 'retention', '', 1 FROM thread WHERE deleting = 0 AND NOT EXISTS (SELECT 1 FROM queue);",
  },
  {
    version: 7,
    name: "thread_record",
    sql: "ALTER TABLE thread ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}'; ALTER TABLE thread ADD COLUMN updated_at INTEGER; ALTER TABLE thread ADD COLUMN version INTEGER NOT NULL DEFAULT 0;",
  },
  {
    version: 8,
    name: "run_options",
    sql: "ALTER TABLE runs ADD COLUMN multitask TEXT; ALTER TABLE runs ADD COLUMN start_at INTEGER; ALTER TABLE runs ADD COLUMN time_limit INTEGER; ALTER TABLE runs ADD COLUMN acknowledged INTEGER NOT NULL DEFAULT 0; ALTER TABLE runs ADD COLUMN cancelled TEXT; ALTER TABLE runs ADD COLUMN first_step INTEGER; ALTER TABLE runs ADD COLUMN checkpoint BLOB; ALTER TABLE runs ADD COLUMN supersteps INTEGER; ALTER TABLE runs ADD COLUMN version TEXT;",
  },
  {
    version: 9,
    name: "events",
    sql: "CREATE TABLE events ( run TEXT NOT NULL, n INTEGER NOT NULL, attempt INTEGER NOT NULL, seq INTEGER, type TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run, n) ) WITHOUT ROWID;",
  },
  {
    version: 10,
    name: "received_events",
    sql: "CREATE TABLE received_events ( seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT NOT NULL, delivery TEXT UNIQUE, payload_type TEXT, payload BLOB, received_at INTEGER NOT NULL, run TEXT );",
  },
  {
    version: 11,
    name: "answers_by_run",
    sql: "CREATE INDEX answers_by_run ON answers (run);",
  },
  {
    version: 12,
    name: "deliveries",
    sql: "CREATE TABLE deliveries ( id TEXT NOT NULL PRIMARY KEY, run TEXT NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, ended_at INTEGER, response INTEGER, error TEXT ) WITHOUT ROWID;",
  },
  {
    version: 13,
    name: "crons",
    sql: "CREATE TABLE crons ( id TEXT NOT NULL PRIMARY KEY, schedule TEXT NOT NULL, timezone TEXT NOT NULL, enabled INTEGER NOT NULL, request_type TEXT NOT NULL, request BLOB NOT NULL, created_at INTEGER NOT NULL, end_at INTEGER, next_at INTEGER, last_run TEXT, last_error TEXT ) WITHOUT ROWID;",
  },
  {
    version: 14,
    name: "limits",
    sql: "ALTER TABLE runs ADD COLUMN began TEXT; CREATE TABLE limit_question ( id INTEGER PRIMARY KEY CHECK (id = 1), interrupt TEXT NOT NULL, checkpoint TEXT NOT NULL, run TEXT NOT NULL, body_type TEXT NOT NULL, body BLOB NOT NULL, taken TEXT );",
  },
  {
    version: 15,
    name: "answers_on_behalf",
    sql: "ALTER TABLE answers ADD COLUMN on_behalf_of TEXT;",
  },
  {
    version: 16,
    name: "crons_of_graphs",
    sql: "ALTER TABLE crons ADD COLUMN assistant TEXT; ALTER TABLE crons ADD COLUMN threads TEXT; ALTER TABLE crons ADD COLUMN firing_at INTEGER; ALTER TABLE crons ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0; UPDATE crons SET updated_at = created_at;",
  },
  {
    version: 17,
    name: "timers_in_vain",
    sql: "ALTER TABLE timers ADD COLUMN put_off INTEGER;",
  },
  {
    version: 18,
    name: "received_event_indexes",
    sql: "CREATE INDEX received_events_kept ON received_events (key) WHERE run IS NULL; CREATE INDEX received_events_given ON received_events (run) WHERE payload_type IS NOT NULL; CREATE INDEX received_events_age ON received_events (received_at);",
  },
  {
    version: 19,
    name: "bounded_scans",
    sql: "CREATE INDEX runs_ended ON runs (status, id) WHERE ended_at IS NOT NULL; CREATE INDEX timers_due ON timers (due) WHERE kind IN ('run_start', 'event_log', 'delivery'); CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);",
  },
  {
    version: 20,
    name: "run_places",
    sql: "ALTER TABLE runs ADD COLUMN place INTEGER; ALTER TABLE thread ADD COLUMN last_place INTEGER NOT NULL DEFAULT 0; CREATE INDEX runs_by_place ON runs (place) WHERE place IS NOT NULL;",
  },
  {
    version: 21,
    name: "time_to_live",
    sql: "ALTER TABLE thread ADD COLUMN ttl INTEGER;",
  },
  {
    version: 22,
    name: "told_checkpoints",
    sql: "ALTER TABLE events ADD COLUMN checkpoint BLOB;",
  },
  {
    version: 23,
    name: "rows_of_another_form",
    sql: "",
  },
  {
    version: 24,
    name: "parts_that_stand_elsewhere",
    sql: "",
  },
];

/** What all of them make, but for what is made later. */
export const newestTables =
  "CREATE TABLE namespaces ( id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, ns TEXT NOT NULL, UNIQUE (thread_id, ns) ); CREATE TABLE checkpoints ( namespace INTEGER NOT NULL, id BLOB NOT NULL, parent BLOB, source TEXT, step INTEGER, run BLOB, metadata_type TEXT, metadata BLOB, level INTEGER NOT NULL, base BLOB, weight INTEGER NOT NULL, type TEXT NOT NULL, body BLOB, body_hash BLOB, PRIMARY KEY (namespace, id), CHECK ((body IS NULL) <> (body_hash IS NULL)) ) WITHOUT ROWID; CREATE TABLE writes ( namespace INTEGER NOT NULL, checkpoint BLOB NOT NULL, task BLOB NOT NULL, type TEXT NOT NULL, body BLOB, body_hash BLOB, PRIMARY KEY (namespace, checkpoint, task), CHECK ((body IS NULL) <> (body_hash IS NULL)) ) WITHOUT ROWID; CREATE TABLE thread ( id INTEGER PRIMARY KEY CHECK (id = 1), tenant TEXT NOT NULL, thread_id TEXT NOT NULL, graph TEXT NOT NULL, created_at INTEGER NOT NULL, deleting INTEGER NOT NULL DEFAULT 0 , metadata TEXT NOT NULL DEFAULT '{}', updated_at INTEGER, version INTEGER NOT NULL DEFAULT 0, last_place INTEGER NOT NULL DEFAULT 0, ttl INTEGER); CREATE TABLE runs ( id TEXT NOT NULL PRIMARY KEY, status TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, stalled INTEGER NOT NULL DEFAULT 0, input_applied INTEGER NOT NULL DEFAULT 0, last_step INTEGER, fault TEXT, created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, request_type TEXT NOT NULL, request BLOB, request_hash BLOB, context_type TEXT, context BLOB, outcome_type TEXT, outcome BLOB, outcome_hash BLOB , fault_type TEXT, multitask TEXT, start_at INTEGER, time_limit INTEGER, acknowledged INTEGER NOT NULL DEFAULT 0, cancelled TEXT, first_step INTEGER, checkpoint BLOB, supersteps INTEGER, version TEXT, began TEXT, place INTEGER) WITHOUT ROWID; CREATE TABLE queue ( position INTEGER PRIMARY KEY, run TEXT NOT NULL ); CREATE TABLE timers ( kind TEXT NOT NULL, id TEXT NOT NULL, due INTEGER NOT NULL, put_off INTEGER, PRIMARY KEY (kind, id) ) WITHOUT ROWID; CREATE INDEX runs_ended ON runs (status, id) WHERE ended_at IS NOT NULL; CREATE INDEX timers_due ON timers (due) WHERE kind IN ('run_start', 'event_log', 'delivery'); CREATE INDEX runs_by_place ON runs (place) WHERE place IS NOT NULL;";

/** What is made with the first row of each of these. */
export const lazyTables = {
  blobs:
    "CREATE TABLE blobs ( thread_id TEXT NOT NULL, hash BLOB NOT NULL, generation TEXT, size INTEGER NOT NULL, type TEXT, PRIMARY KEY (thread_id, hash) ) WITHOUT ROWID;",
  parts:
    "CREATE TABLE parts ( thread_id TEXT NOT NULL, hash BLOB NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (thread_id, hash, n) ) WITHOUT ROWID;",
  answers:
    "CREATE TABLE answers ( interrupt TEXT NOT NULL, checkpoint TEXT NOT NULL, hash BLOB NOT NULL, run TEXT NOT NULL, answered_at INTEGER NOT NULL, answered_by TEXT, on_behalf_of TEXT, PRIMARY KEY (interrupt, checkpoint, hash) ) WITHOUT ROWID; CREATE INDEX answers_by_run ON answers (run);",
  idempotency_keys:
    "CREATE TABLE idempotency_keys ( caller TEXT NOT NULL, key TEXT NOT NULL, hash TEXT NOT NULL, result TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (caller, key) ) WITHOUT ROWID; CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);",
  events:
    "CREATE TABLE events ( run TEXT NOT NULL, n INTEGER NOT NULL, attempt INTEGER NOT NULL, seq INTEGER, type TEXT NOT NULL, body BLOB NOT NULL, checkpoint BLOB, PRIMARY KEY (run, n) ) WITHOUT ROWID;",
  received_events:
    "CREATE TABLE received_events ( seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT NOT NULL, delivery TEXT UNIQUE, payload_type TEXT, payload BLOB, received_at INTEGER NOT NULL, run TEXT ); CREATE INDEX received_events_kept ON received_events (key) WHERE run IS NULL; CREATE INDEX received_events_given ON received_events (run) WHERE payload_type IS NOT NULL; CREATE INDEX received_events_age ON received_events (received_at);",
  deliveries:
    "CREATE TABLE deliveries ( id TEXT NOT NULL PRIMARY KEY, run TEXT NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, ended_at INTEGER, response INTEGER, error TEXT ) WITHOUT ROWID;",
  crons:
    "CREATE TABLE crons ( id TEXT NOT NULL PRIMARY KEY, schedule TEXT NOT NULL, timezone TEXT NOT NULL, enabled INTEGER NOT NULL, request_type TEXT NOT NULL, request BLOB NOT NULL, created_at INTEGER NOT NULL, end_at INTEGER, next_at INTEGER, last_run TEXT, last_error TEXT , assistant TEXT, threads TEXT, firing_at INTEGER, updated_at INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;",
  limit_question:
    "CREATE TABLE limit_question ( id INTEGER PRIMARY KEY CHECK (id = 1), interrupt TEXT NOT NULL, checkpoint TEXT NOT NULL, run TEXT NOT NULL, body_type TEXT NOT NULL, body BLOB NOT NULL, taken TEXT );",
};
