-- The answers with which runs were started. `checkpoint` is the one that was answered, `hash` the SHA-256 of the answer.
CREATE TABLE answers (
  interrupt TEXT NOT NULL,
  checkpoint TEXT NOT NULL,
  hash BLOB NOT NULL,
  run TEXT NOT NULL,
  answered_at INTEGER NOT NULL,
  answered_by TEXT,
  PRIMARY KEY (interrupt, checkpoint, hash)
) WITHOUT ROWID;

-- The values of the header Idempotency-Key. `hash` is that of the request, `result` the run or the edit that it became.
CREATE TABLE idempotency_keys (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  hash TEXT NOT NULL,
  result TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (caller, key)
) WITHOUT ROWID;
