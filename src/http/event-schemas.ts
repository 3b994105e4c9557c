import * as v from "valibot";
import { Mode } from "./run-create.ts";
import { exactly } from "./schemas.ts";

/** What says which events of a run are wanted; the header Last-Event-ID goes before `last_event_id`. */
export const EventsQuery = exactly({
  last_event_id: v.optional(
    v.pipe(v.string(), v.regex(/^(?:-1|\d{1,15}-\d{1,15})$/, "must be the id of an event, or -1 for all")),
  ),
  stream_mode: v.optional(v.array(Mode), []),
  /** The state that the client shows already. All events are sent all the same: those that it knows change nothing. */
  checkpoint_id: v.optional(v.string()),
  /** Clients send it in any case; whoever leaves ends no run. */
  cancel_on_disconnect: v.optional(
    v.picklist(["0", "false"], "is not offered: a run goes on without readers"),
  ),
});
