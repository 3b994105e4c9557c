ALTER TABLE events ADD COLUMN checkpoint BLOB;
