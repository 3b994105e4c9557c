ALTER TABLE runs ADD COLUMN began TEXT;

CREATE TABLE limit_question (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  interrupt TEXT NOT NULL,
  checkpoint TEXT NOT NULL,
  run TEXT NOT NULL,
  body_type TEXT NOT NULL,
  body BLOB NOT NULL,
  taken TEXT
);
