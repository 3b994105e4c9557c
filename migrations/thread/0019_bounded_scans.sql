CREATE INDEX runs_ended ON runs (status, id) WHERE ended_at IS NOT NULL;
CREATE INDEX timers_due ON timers (due) WHERE kind IN ('run_start', 'event_log', 'delivery');
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
