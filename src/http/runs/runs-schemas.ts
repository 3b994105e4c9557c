import * as v from "valibot";
import { Count, exactly, Flag } from "../requests/schemas.ts";

/** The queries of the routes below `/threads/:id/runs`, in the words of LangGraph's platform. */

const STATUSES = ["pending", "running", "success", "error", "interrupted", "timeout"] as const;

const Offset = v.pipe(v.string(), v.regex(/^\d{1,9}$/, "must be a whole number"), v.transform(Number));

export const ListRunsQuery = exactly({
  limit: v.optional(Count, "10"),
  offset: v.optional(Offset, "0"),
  status: v.optional(v.picklist(STATUSES)),
  /** The keys that are wanted, each in a parameter of its own. */
  select: v.optional(
    v.pipe(
      v.union([v.string(), v.array(v.string())]),
      v.transform((keys) => (typeof keys === "string" ? [keys] : keys)),
    ),
  ),
});

export const CancelQuery = v.pipe(
  exactly({
    action: v.optional(v.picklist(["interrupt", "rollback"]), "interrupt"),
    wait: v.optional(Flag, "false"),
    /** "taken": another run has taken its input, which the run then says. Others are not kept. */
    reason: v.optional(v.pipe(v.string(), v.maxLength(256))),
  }),
  v.check(
    ({ action, reason }) => reason !== "taken" || action === "interrupt",
    'must have the action "interrupt" with the reason "taken"',
  ),
);

/** Of several runs at once. */
export const CancelManyQuery = exactly({
  action: v.optional(v.picklist(["interrupt", "rollback"]), "interrupt"),
});

export const CancelRunsBody = v.pipe(
  exactly({
    /** Absent: of all threads. */
    thread_id: v.nullish(v.string()),
    run_ids: v.nullish(v.pipe(v.array(v.string()), v.maxLength(1000, "must have 1000 ids at most"))),
    status: v.nullish(v.picklist(["pending", "running", "all"])),
  }),
  v.check(
    ({ run_ids: ids, status }) => (ids == null) !== (status == null),
    'must have either "run_ids" or a "status"',
  ),
);

export const JoinQuery = exactly({ cancel_on_disconnect: v.optional(Flag, "false") });
