-- How long a timer that came in vain was put off, in milliseconds: the next time it is twice as long. Whoever sets the timer
-- begins anew.
ALTER TABLE timers ADD COLUMN put_off INTEGER;
