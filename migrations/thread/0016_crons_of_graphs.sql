ALTER TABLE crons ADD COLUMN assistant TEXT;
ALTER TABLE crons ADD COLUMN threads TEXT;
ALTER TABLE crons ADD COLUMN firing_at INTEGER;
ALTER TABLE crons ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
UPDATE crons SET updated_at = created_at;
