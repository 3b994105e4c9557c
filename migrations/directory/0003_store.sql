-- What graphs remember across threads. The labels of a namespace are joined by periods, which no label has; `type` and `value`
-- are what the serializer has written. Times are milliseconds since 1970.
CREATE TABLE items (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  type TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (namespace, key)
) WITHOUT ROWID;
