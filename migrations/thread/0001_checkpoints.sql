-- Ids that are canonical UUIDs are 16-byte blobs, any other id is text: in `id`, `parent`, `base`,
-- `run`, `checkpoint` and `task`.
-- Rows written are billed, index rows too: no secondary index here.

CREATE TABLE namespaces (
  id INTEGER PRIMARY KEY,
  thread_id TEXT NOT NULL,
  ns TEXT NOT NULL,
  UNIQUE (thread_id, ns)
);

-- A body is in the row, or in the blob that `body_hash` names. It is a patch: at level 0 of the body of the parent, above of
-- that of `base`; at the highest level it is the whole value. `weight` is about the size of the whole value in bytes.
-- `source`, `step` and `run` are metadata, and so is what else there is of it; NULL when that is no more than no parents.
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

-- One row a task: its path and all its writes.
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

-- Large values, once a thread under their SHA-256. With a generation they are in the bucket, without one in `parts`.
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
