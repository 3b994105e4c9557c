/**
 * The places between two durable steps at which an object may end. A step that is followed by another one, with an await,
 * an outgoing call or a return to the event loop between them, is followed by its point.
 */
export const CRASH_POINTS = [
  /** What is large of a new run is stored; the run is not in the queue. */
  "run.staged",
  "run.admitted",
  "run.claimed",
  /** The commit that holds the run's input. */
  "run.input_applied",
  /** Any other commit of a checkpoint. */
  "run.committed",
  "run.task_written",
  /** Events of the run are in its log that no checkpoint has taken along. */
  "run.events_written",
  /** What is large of the outcome is stored; the run has not ended. */
  "run.outcome_staged",
  "run.ended",
  "run.refused",
  /** It is in the queue, after its time had come. */
  "run.start_due",
  /** Cancelled, or out of time; what goes on of it has not been told. */
  "run.stopped",
  /** Its checkpoints are removed; it has not ended. */
  "run.rolled_back",
  /** A fault is noted, and the next attempt has its time. */
  "run.postponed",
  /** The key of an edit is stored, the edit is not. */
  "edit.key_stored",
  /** An event is stored that nobody waits for. */
  "event.kept",
  /** The run is in the queue that answers what was waited for. */
  "wait.answered",
  /** The time of what an edit may reopen is set, the edit is not stored. */
  "edit.watched",
  "thread.marked_deleted",
  /** The objects in the bucket are gone, the rows are not. */
  "thread.objects_deleted",
  /** The row of the new thread carries the mark of a deletion. */
  "import.begun",
  /** Some of what the archive holds is stored. */
  "import.stored",
  "import.finished",
  /** The directory knows, and it is not noted that it does. */
  "announcement.told",
  /** The directory has forgotten the thread, which is still there. */
  "announcement.withdrawn",
  /** An attempt to deliver a message is noted, and the time of the next one; nothing is sent. */
  "delivery.begun",
  /** The receiver has answered, or could not be reached; that is not noted. */
  "delivery.answered",
  /** The alarm is set ahead, and no timer has been looked after. */
  "timer.held",
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];
