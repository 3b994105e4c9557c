-- The events of streamed runs, packed: the bodies of a run's rows, one after the other, are chunks behind their lengths in
-- four bytes each, and a chunk is the text of server-sent events as the serializer wrote it. `attempt` and `seq` are those of
-- the first event that begins in the row; a row without `seq` goes on with the one before.
CREATE TABLE events (
  run TEXT NOT NULL,
  n INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  seq INTEGER,
  type TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (run, n)
) WITHOUT ROWID;
