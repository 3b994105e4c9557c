-- When the deletion of a thread was tried last, counted in tries: those that cannot be deleted now must not keep others back.
ALTER TABLE erasures ADD COLUMN tried INTEGER NOT NULL DEFAULT 0;
