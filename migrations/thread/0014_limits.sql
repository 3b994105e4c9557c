-- Where a run with limits has begun to count, as JSON.
ALTER TABLE runs ADD COLUMN began TEXT;

-- The question that is the thread's own: a run has reached one of its limits. It stands as long as `checkpoint` is the
-- newest one and no run has taken the answer. `body` is as the serializer wrote it: the limit, and all limits of the run.
CREATE TABLE limit_question (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  interrupt TEXT NOT NULL,
  checkpoint TEXT NOT NULL,
  run TEXT NOT NULL,
  body_type TEXT NOT NULL,
  body BLOB NOT NULL,
  taken TEXT
);
