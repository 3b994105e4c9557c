CREATE TABLE items (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  type TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (namespace, key)
) WITHOUT ROWID;
