-- The thread itself, one row. Times are milliseconds since 1970.
CREATE TABLE thread (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  tenant TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  graph TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleting INTEGER NOT NULL DEFAULT 0
);

-- `request` and `outcome` are bodies as in `checkpoints`. `context` may hold secrets: it is erased when the run ends.
-- `last_step`, known once the input is applied, is as far as the recursion limit lets the run go, however often it is entered.
-- `stalled` counts the attempts since the last commit of the run; `fault` is the JSON of what stopped the last of them.
CREATE TABLE runs (
  id TEXT NOT NULL PRIMARY KEY,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  stalled INTEGER NOT NULL DEFAULT 0,
  input_applied INTEGER NOT NULL DEFAULT 0,
  last_step INTEGER,
  fault TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  request_type TEXT NOT NULL,
  request BLOB,
  request_hash BLOB,
  context_type TEXT,
  context BLOB,
  outcome_type TEXT,
  outcome BLOB,
  outcome_hash BLOB
) WITHOUT ROWID;

-- The runs that have not ended, in the order in which they came. The first one is the one that runs.
CREATE TABLE queue (
  position INTEGER PRIMARY KEY,
  run TEXT NOT NULL
);
