CREATE INDEX answers_by_run ON answers (run);
