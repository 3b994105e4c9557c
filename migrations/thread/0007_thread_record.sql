-- What is said of the thread: `metadata` is JSON, `updated_at` the time (in milliseconds since 1970) of its last change.
-- `version` grows with every change that the directory is told of. `graph` is '' until a run has bound the thread to one.
ALTER TABLE thread ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
ALTER TABLE thread ADD COLUMN updated_at INTEGER;
ALTER TABLE thread ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
