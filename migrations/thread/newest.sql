-- Made of the migrations by `npm run tables`: what a new thread begins with.

CREATE TABLE namespaces (
  id INTEGER PRIMARY KEY,
  thread_id TEXT NOT NULL,
  ns TEXT NOT NULL,
  UNIQUE (thread_id, ns)
);

CREATE TABLE checkpoints (
  namespace INTEGER NOT NULL,
  id BLOB NOT NULL,
  parent BLOB,
  source TEXT,
  step INTEGER,
  run BLOB,
  metadata_type TEXT,
  metadata BLOB,
  level INTEGER NOT NULL,
  base BLOB,
  weight INTEGER NOT NULL,
  type TEXT NOT NULL,
  body BLOB,
  body_hash BLOB,
  PRIMARY KEY (namespace, id),
  CHECK ((body IS NULL) <> (body_hash IS NULL))
) WITHOUT ROWID;

CREATE TABLE writes (
  namespace INTEGER NOT NULL,
  checkpoint BLOB NOT NULL,
  task BLOB NOT NULL,
  type TEXT NOT NULL,
  body BLOB,
  body_hash BLOB,
  PRIMARY KEY (namespace, checkpoint, task),
  CHECK ((body IS NULL) <> (body_hash IS NULL))
) WITHOUT ROWID;

CREATE TABLE thread (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  tenant TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  graph TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleting INTEGER NOT NULL DEFAULT 0
, metadata TEXT NOT NULL DEFAULT '{}', updated_at INTEGER, version INTEGER NOT NULL DEFAULT 0, last_place INTEGER NOT NULL DEFAULT 0, ttl INTEGER);

CREATE TABLE runs (
  id TEXT NOT NULL PRIMARY KEY,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  stalled INTEGER NOT NULL DEFAULT 0,
  input_applied INTEGER NOT NULL DEFAULT 0,
  last_step INTEGER,
  fault TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  request_type TEXT NOT NULL,
  request BLOB,
  request_hash BLOB,
  context_type TEXT,
  context BLOB,
  outcome_type TEXT,
  outcome BLOB,
  outcome_hash BLOB
, fault_type TEXT, multitask TEXT, start_at INTEGER, time_limit INTEGER, acknowledged INTEGER NOT NULL DEFAULT 0, cancelled TEXT, first_step INTEGER, checkpoint BLOB, supersteps INTEGER, version TEXT, began TEXT, place INTEGER) WITHOUT ROWID;

CREATE TABLE queue (
  position INTEGER PRIMARY KEY,
  run TEXT NOT NULL
);

CREATE TABLE timers (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  due INTEGER NOT NULL, put_off INTEGER,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;

CREATE INDEX runs_ended ON runs (status, id) WHERE ended_at IS NOT NULL;

CREATE INDEX timers_due ON timers (due) WHERE kind IN ('run_start', 'event_log', 'delivery');

CREATE INDEX runs_by_place ON runs (place) WHERE place IS NOT NULL;

-- And what is made with its first row.

CREATE TABLE blobs (
  thread_id TEXT NOT NULL,
  hash BLOB NOT NULL,
  generation TEXT,
  size INTEGER NOT NULL, type TEXT,
  PRIMARY KEY (thread_id, hash)
) WITHOUT ROWID;

CREATE TABLE parts (
  thread_id TEXT NOT NULL,
  hash BLOB NOT NULL,
  n INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (thread_id, hash, n)
) WITHOUT ROWID;

CREATE TABLE answers (
  interrupt TEXT NOT NULL,
  checkpoint TEXT NOT NULL,
  hash BLOB NOT NULL,
  run TEXT NOT NULL,
  answered_at INTEGER NOT NULL,
  answered_by TEXT, on_behalf_of TEXT,
  PRIMARY KEY (interrupt, checkpoint, hash)
) WITHOUT ROWID;

CREATE INDEX answers_by_run ON answers (run);

CREATE TABLE idempotency_keys (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  hash TEXT NOT NULL,
  result TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (caller, key)
) WITHOUT ROWID;

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

CREATE TABLE events (
  run TEXT NOT NULL,
  n INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  seq INTEGER,
  type TEXT NOT NULL,
  body BLOB NOT NULL, checkpoint BLOB,
  PRIMARY KEY (run, n)
) WITHOUT ROWID;

CREATE TABLE received_events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  delivery TEXT UNIQUE,
  payload_type TEXT,
  payload BLOB,
  received_at INTEGER NOT NULL,
  run TEXT
);

CREATE INDEX received_events_kept ON received_events (key) WHERE run IS NULL;

CREATE INDEX received_events_given ON received_events (run) WHERE payload_type IS NOT NULL;

CREATE INDEX received_events_age ON received_events (received_at);

CREATE TABLE deliveries (
  id TEXT NOT NULL PRIMARY KEY,
  run TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  response INTEGER,
  error TEXT
) WITHOUT ROWID;

CREATE TABLE crons (
  id TEXT NOT NULL PRIMARY KEY,
  schedule TEXT NOT NULL,
  timezone TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  request_type TEXT NOT NULL,
  request BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  end_at INTEGER,
  next_at INTEGER,
  last_run TEXT,
  last_error TEXT
, assistant TEXT, threads TEXT, firing_at INTEGER, updated_at INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;

CREATE TABLE limit_question (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  interrupt TEXT NOT NULL,
  checkpoint TEXT NOT NULL,
  run TEXT NOT NULL,
  body_type TEXT NOT NULL,
  body BLOB NOT NULL,
  taken TEXT
);
