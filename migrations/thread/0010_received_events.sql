CREATE TABLE received_events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  delivery TEXT UNIQUE,
  payload_type TEXT,
  payload BLOB,
  received_at INTEGER NOT NULL,
  run TEXT
);
