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

CREATE TABLE blobs (
  thread_id TEXT NOT NULL,
  hash BLOB NOT NULL,
  generation TEXT,
  size INTEGER NOT NULL,
  PRIMARY KEY (thread_id, hash)
) WITHOUT ROWID;

CREATE TABLE parts (
  thread_id TEXT NOT NULL,
  hash BLOB NOT NULL,
  n INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (thread_id, hash, n)
) WITHOUT ROWID;
