-- How long an item lives after it was written or read, and until when: milliseconds, and those since 1970; null: for good.
ALTER TABLE items ADD COLUMN ttl INTEGER;
ALTER TABLE items ADD COLUMN expires_at INTEGER;
CREATE INDEX items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;

-- By what items are found that mean something near: 32-bit floats. An item has one for each text that is indexed of it.
CREATE TABLE item_vectors (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  part INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (namespace, key, part)
) WITHOUT ROWID;
