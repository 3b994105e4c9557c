-- How long after its last use the thread is deleted, in milliseconds; null where its runtime says that, or nobody.
ALTER TABLE thread ADD COLUMN ttl INTEGER;
