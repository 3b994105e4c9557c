ALTER TABLE threads ADD COLUMN expected_by INTEGER;
ALTER TABLE threads ADD COLUMN object_id TEXT;
CREATE INDEX threads_expected ON threads (expected_by) WHERE expected_by IS NOT NULL;
