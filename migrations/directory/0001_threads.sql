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

CREATE TABLE thread_keys (
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  thread INTEGER NOT NULL,
  PRIMARY KEY (path, value, thread)
) WITHOUT ROWID;

CREATE TABLE questions (
  asked_at INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  interrupt TEXT NOT NULL,
  question TEXT NOT NULL,
  PRIMARY KEY (asked_at, thread, interrupt)
) WITHOUT ROWID;
