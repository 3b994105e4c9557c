CREATE TABLE timers (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  due INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;

INSERT INTO timers (kind, id, due) SELECT 'queue', '', 1 FROM queue LIMIT 1;
INSERT INTO timers (kind, id, due)
  SELECT 'retention', '', 1 FROM thread WHERE deleting = 0 AND NOT EXISTS (SELECT 1 FROM queue);
