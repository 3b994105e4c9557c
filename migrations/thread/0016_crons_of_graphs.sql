-- `assistant`: as the caller has named it. `threads`: what becomes of the threads that a cron makes for its runs, 'delete' or
-- 'keep'; absent for one whose runs are of the thread itself. `firing_at`: the time of the run that is being started, whose thread
-- is made.
ALTER TABLE crons ADD COLUMN assistant TEXT;
ALTER TABLE crons ADD COLUMN threads TEXT;
ALTER TABLE crons ADD COLUMN firing_at INTEGER;
ALTER TABLE crons ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
UPDATE crons SET updated_at = created_at;
