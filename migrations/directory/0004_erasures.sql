-- Threads that are being deleted with all that their tenant has. They withdraw from `threads` before they are gone.
CREATE TABLE erasures (
  thread_id TEXT PRIMARY KEY
) WITHOUT ROWID;
