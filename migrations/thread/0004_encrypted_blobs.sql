-- Blobs that the serializer has written have its type; those without one are the bytes themselves.
ALTER TABLE blobs ADD COLUMN type TEXT;
