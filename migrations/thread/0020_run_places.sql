-- In which place among the thread's runs a run was entered first, or ended, if it never was entered. Places are not given twice:
-- what is known of runs that are gone is the last place that one of them had.
ALTER TABLE runs ADD COLUMN place INTEGER;
ALTER TABLE thread ADD COLUMN last_place INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_by_place ON runs (place) WHERE place IS NOT NULL;
