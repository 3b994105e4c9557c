-- The serializer writes `fault` too; one without a type is JSON.
ALTER TABLE runs ADD COLUMN fault_type TEXT;
