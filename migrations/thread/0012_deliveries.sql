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
