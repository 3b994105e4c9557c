import * as v from "valibot";

/** What several answers have. */

/** ISO 8601, in UTC. */
export const Time = v.pipe(v.string(), v.isoTimestamp());

/** JsonObject of the caller's own. */
export const JsonObject = v.record(v.string(), v.unknown());

export const Interrupt = v.pipe(
  v.object({
    id: v.string(),
    value: v.pipe(v.unknown(), v.description("What the task has asked.")),
    response_schema: v.optional(
      v.pipe(v.unknown(), v.description("What an answer has to be, as JSON Schema.")),
    ),
    expires_at: v.optional(v.pipe(Time, v.description("When `default` is the answer, if nobody gives one."))),
    default: v.optional(v.unknown()),
  }),
  v.description("A question that waits for its answer."),
);

const id = v.string();

export const Waiting = v.pipe(
  v.union([
    v.object({ id, kind: v.literal("sleep"), until: Time }),
    v.object({ id, kind: v.literal("event"), key: v.string(), until: v.optional(Time) }),
  ]),
  v.description("What a task waits for without asking anybody."),
);

export const Checkpoint = v.pipe(
  v.object({
    thread_id: v.string(),
    checkpoint_ns: v.pipe(
      v.string(),
      v.description("The graph inside a node; empty for the thread's own graph."),
    ),
    checkpoint_id: v.optional(
      v.pipe(v.string(), v.description("Absent: the newest, of a graph inside a task.")),
    ),
  }),
  v.description("Where a state is."),
);
