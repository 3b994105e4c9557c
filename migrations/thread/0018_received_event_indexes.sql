CREATE INDEX received_events_kept ON received_events (key) WHERE run IS NULL;
CREATE INDEX received_events_given ON received_events (run) WHERE payload_type IS NOT NULL;
CREATE INDEX received_events_age ON received_events (received_at);
