-- The events that came to the thread, in the order in which they came. `payload` is as the serializer wrote it, until the
-- run that the event was given to has taken it. `delivery` names it among those that come from one sender.
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
