import * as v from "valibot";
import { Mode } from "../runs/run-create.ts";
import { exactly, Flag } from "../requests/schemas.ts";

/** What of a thread is told: the events of its runs, or only where they begin and end. */
const ThreadMode = v.picklist(["run_modes", "lifecycle"]);

export const ThreadEventsQuery = exactly({
  stream_mode: v.optional(
    v.pipe(
      v.union(
        [ThreadMode, v.array(ThreadMode)],
        'must be "run_modes", "lifecycle" or both; edits of the state ("state_update") are not told',
      ),
      v.transform((modes) => [modes].flat()),
    ),
    "run_modes",
  ),
});

/** The header Last-Event-ID of such a stream. */
export const LastRun = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^(?:-|-1|\d{1,16})$/, "must be the id of an event, or -1 for all"),
    v.transform((id) => (id.startsWith("-") ? 0 : Number(id))),
  ),
);

/** What says which events of a run are wanted; the header Last-Event-ID goes before `last_event_id`. */
export const EventsQuery = exactly({
  last_event_id: v.optional(
    v.pipe(v.string(), v.regex(/^(?:-1|\d{1,15}-\d{1,15})$/, "must be the id of an event, or -1 for all")),
  ),
  stream_mode: v.optional(v.array(Mode), []),
  /** The state that the client shows already. All events are sent all the same: those that it knows change nothing. */
  checkpoint_id: v.optional(v.string()),
  /** Graphs inside nodes. Events of all that the run was started with are sent all the same. */
  namespace: v.optional(v.string()),
  /** The run is cancelled when this reader goes before its end. */
  cancel_on_disconnect: v.optional(Flag, "false"),
});
