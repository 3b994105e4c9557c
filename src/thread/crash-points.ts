/**
 * The places between two durable steps at which an object may end, and what is stored there. A step that is followed by
 * another one, with an await, an outgoing call or a return to the event loop between them, is followed by its point.
 */
export const CRASH_POINTS = {
  "run.staged": "What is large of a new run; the run is not in the queue.",
  "run.admitted": "The run is in the queue, or has its time.",
  "run.claimed": "The attempt is counted.",
  "run.input_applied": "The commit that holds the run's input.",
  "run.committed": "Any other commit of a checkpoint.",
  "run.task_written": "What one task has written.",
  "run.events_written": "Events of the run in its log that no checkpoint has taken along.",
  "run.outcome_staged": "What is large of the outcome; the run has not ended.",
  "run.ended": "The outcome; the run has left the queue.",
  "run.refused": "Nothing of the run any more.",
  "run.start_due": "The run is in the queue, after its time had come.",
  "run.stopped": "The run is cancelled, or out of time; what goes on of it has not been told.",
  "run.rolled_back": "Its checkpoints are removed; the run has not ended.",
  "run.postponed": "A fault is noted, and the next attempt has its time.",
  "run.held_back": "The next attempt of a run that has stopped its object has its time.",
  "key.claimed": "The key of a call whose answer is kept; the call is not made.",
  "key.settled": "What such a call was answered, or nothing more of its key.",
  "edit.key_stored": "The key of an edit; the edit is not.",
  "edit.watched": "The time of what an edit may reopen; the edit is not.",
  "event.kept": "An event that nobody waits for.",
  "wait.answered": "The run is in the queue that answers what was waited for.",
  "cron.started": "The run of a cron is in the queue, and the next one has its time.",
  "cron.thread_made": "The thread for a cron's run; the cron does not know.",
  "cron.thread_noted": "The cron knows the thread that it has made; nothing runs there.",
  "cron.run_sent": "The run of a cron is in the queue of its thread; the cron does not know.",
  "thread.marked_deleted": "The mark of the deletion.",
  "thread.objects_deleted": "The rows; the objects in the bucket are gone.",
  "import.begun": "The row of the new thread, with the mark of a deletion.",
  "import.stored": "Some of what the archive holds.",
  "import.finished": "All that the archive holds.",
  "announcement.expected": "The directory expects a thread, which is not made.",
  "announcement.told": "The directory knows; it is not noted that it does.",
  "announcement.withdrawn": "The directory has forgotten the thread, which is still there.",
  "delivery.begun":
    "An attempt to deliver a message is noted, and the time of the next one; nothing is sent.",
  "delivery.answered": "The receiver has answered, or could not be reached; that is not noted.",
  "timer.held": "The alarm is set ahead, and no timer has been looked after.",
} as const;

export type CrashPoint = keyof typeof CRASH_POINTS;
