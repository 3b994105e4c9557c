-- What to do with runs that are under way when this one enters the queue; NULL: it waits for them.
ALTER TABLE runs ADD COLUMN multitask TEXT;
-- When a run that waits for its time enters the queue, in milliseconds since 1970.
ALTER TABLE runs ADD COLUMN start_at INTEGER;
-- How long the run may take from its first attempt on, in milliseconds.
ALTER TABLE runs ADD COLUMN time_limit INTEGER;
-- 1: its caller has been told its id, so that it is there to be read whatever becomes of it.
ALTER TABLE runs ADD COLUMN acknowledged INTEGER NOT NULL DEFAULT 0;
-- 'interrupt' or 'rollback': what it was cancelled with. The checkpoints of a run that is rolled back are there until it has ended.
ALTER TABLE runs ADD COLUMN cancelled TEXT;
-- The step at which the run began, then, of a run that has ended, its newest checkpoint, and the supersteps up to there.
ALTER TABLE runs ADD COLUMN first_step INTEGER;
ALTER TABLE runs ADD COLUMN checkpoint BLOB;
ALTER TABLE runs ADD COLUMN supersteps INTEGER;
-- The version of the code that has entered the run last, where it is known.
ALTER TABLE runs ADD COLUMN version TEXT;
