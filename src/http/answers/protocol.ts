import * as v from "valibot";

/** What a command of the thread protocol is answered with. */

const Success = v.object({
  type: v.literal("success"),
  id: v.number(),
  result: v.record(v.string(), v.unknown()),
  meta: v.object({
    thread_id: v.string(),
    /** The number of the last event that comes before all that the command leads to. */
    applied_through_seq: v.optional(v.number()),
  }),
});

const Failure = v.object({
  type: v.literal("error"),
  id: v.nullable(v.number()),
  /** In the protocol's words. */
  error: v.string(),
  message: v.string(),
  /** As of any other error. */
  code: v.string(),
  details: v.record(v.string(), v.unknown()),
});

export const CommandAnswer = v.union([Success, Failure]);
