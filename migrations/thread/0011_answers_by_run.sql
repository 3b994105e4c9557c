-- A run tells which questions it has answered, and for whom.
CREATE INDEX answers_by_run ON answers (run);
