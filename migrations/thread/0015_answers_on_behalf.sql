-- For whom an answer was given by the one who is known by authentication.
ALTER TABLE answers ADD COLUMN on_behalf_of TEXT;
