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
) WITHOUT ROWID;
