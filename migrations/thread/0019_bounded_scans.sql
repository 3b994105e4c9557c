-- What grows with the runs of a thread is looked up, not read through: ended runs by their status, the next of the timers that
-- there may be one of for each run, and keys that are too old. A run without a stream and a webhook writes one of these rows.
CREATE INDEX runs_ended ON runs (status, id) WHERE ended_at IS NOT NULL;
CREATE INDEX timers_due ON timers (due) WHERE kind IN ('run_start', 'event_log', 'delivery');
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
