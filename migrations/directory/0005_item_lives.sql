ALTER TABLE items ADD COLUMN ttl INTEGER;
ALTER TABLE items ADD COLUMN expires_at INTEGER;
CREATE INDEX items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE item_vectors (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  part INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (namespace, key, part)
) WITHOUT ROWID;
