CREATE TABLE answers (
  interrupt TEXT NOT NULL,
  checkpoint TEXT NOT NULL,
  hash BLOB NOT NULL,
  run TEXT NOT NULL,
  answered_at INTEGER NOT NULL,
  answered_by TEXT,
  PRIMARY KEY (interrupt, checkpoint, hash)
) WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  hash TEXT NOT NULL,
  result TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (caller, key)
) WITHOUT ROWID;
