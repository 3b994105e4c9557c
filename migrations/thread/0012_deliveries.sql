-- What is to be told about runs: one row a run that has a webhook, with the run and gone with it. It is `waiting` while the
-- run goes on, then `pending` until it is `delivered` or `failed`. What is sent is made of the run's own row.
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
