CREATE TABLE thread (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  tenant TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  graph TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleting INTEGER NOT NULL DEFAULT 0
);

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
) WITHOUT ROWID;

CREATE TABLE queue (
  position INTEGER PRIMARY KEY,
  run TEXT NOT NULL
);
