ALTER TABLE answers ADD COLUMN on_behalf_of TEXT;
