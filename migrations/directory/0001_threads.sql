-- What is known here of each thread of a tenant. The thread's own object has the truth; `version` says how new this is.
-- Times are milliseconds since 1970. `entry` is JSON.
CREATE TABLE threads (
  id INTEGER PRIMARY KEY,
  thread_id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  state_updated_at INTEGER NOT NULL,
  entry TEXT NOT NULL
);

CREATE INDEX threads_by_created_at ON threads (created_at, thread_id);
CREATE INDEX threads_by_updated_at ON threads (updated_at, thread_id);
CREATE INDEX threads_by_state_updated_at ON threads (state_updated_at, thread_id);
CREATE INDEX threads_by_status ON threads (status, thread_id);

-- What threads are found by: every leaf of their metadata and extract, and their status. Those of a thread follow from its
-- row, so that no index by thread is needed.
CREATE TABLE thread_keys (
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  thread INTEGER NOT NULL,
  PRIMARY KEY (path, value, thread)
) WITHOUT ROWID;

-- The questions that threads wait for an answer to.
CREATE TABLE questions (
  asked_at INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  interrupt TEXT NOT NULL,
  question TEXT NOT NULL,
  PRIMARY KEY (asked_at, thread, interrupt)
) WITHOUT ROWID;
