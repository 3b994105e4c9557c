import * as v from "valibot";
import { Interrupt, JsonObject, Time } from "./parts.ts";

export const Thread = v.object({
  thread_id: v.string(),
  created_at: Time,
  updated_at: Time,
  state_updated_at: Time,
  metadata: JsonObject,
  status: v.picklist(["idle", "busy", "interrupted", "error"]),
  config: JsonObject,
  values: v.pipe(v.unknown(), v.description("The newest state; null before the first run.")),
  interrupts: v.pipe(v.record(v.string(), v.array(Interrupt)), v.description("By the task that asks.")),
  ttl: v.optional(
    v.pipe(
      v.object({ strategy: v.literal("delete"), ttl_minutes: v.number(), expires_at: Time }),
      v.description(
        "Where the thread has a time of its own, and when that will have come unless it is used.",
      ),
    ),
  ),
  error: v.optional(
    v.pipe(
      v.object({ code: v.string(), message: v.string() }),
      v.description("Of a search: why the thread itself could not be asked."),
    ),
  ),
});

/** A thread with only the keys that were selected, and parts of it under names that the search has given them. */
export const ThreadPart = v.partial(
  v.object({
    ...Thread.entries,
    extracted: v.pipe(
      JsonObject,
      v.description("By the names that `extract` gives; null where there is nothing."),
    ),
  }),
);

export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

export const Pruned = v.object({ pruned_count: Count });

/** What an import, or a copy, has brought. */
export const Imported = v.object({
  thread_id: v.string(),
  graph: v.nullable(v.string()),
  checkpoints: Count,
  runs: Count,
  blobs: v.pipe(Count, v.description("Large values that were in a bucket.")),
  missing_blobs: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description("The hashes of those that were gone when the file was written."),
    ),
  ),
  unchecked_blobs: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description("The hashes of those that are encrypted with a key which is not here."),
    ),
  ),
});

const Counts = v.record(v.string(), Count);

export const Usage = v.object({
  thread_id: v.string(),
  bytes: v.object({
    database: v.pipe(Count, v.description("The whole database, its free pages included.")),
    bucket: v.pipe(Count, v.description("Of the large values that lie in the bucket.")),
  }),
  rows: v.pipe(Counts, v.description("By table.")),
  runs: v.pipe(Counts, v.description("By status.")),
  timers: v.pipe(Counts, v.description("By what they are for.")),
  events: v.object({
    streamed: v.pipe(Count, v.description("Of streamed runs, those that can be read again.")),
    received: v.pipe(Count, v.description("Those that came for nodes that wait.")),
  }),
  is_complete: v.pipe(v.boolean(), v.description("False where something was counted up to a limit only.")),
});

export const Questions = v.object({
  interrupts: v.array(
    v.object({ thread_id: v.string(), interrupt_id: v.string(), value: v.unknown(), asked_at: Time }),
  ),
  next: v.pipe(v.nullable(v.string()), v.description("The `after` of the next page.")),
});

export const EventReceipt = v.object({
  event_id: v.string(),
  status: v.picklist(["delivered", "kept"]),
  run_id: v.optional(v.pipe(v.string(), v.description("The run that has got it."))),
});

export const Delivery = v.object({
  id: v.string(),
  run_id: v.string(),
  status: v.picklist(["waiting", "pending", "delivered", "failed"]),
  attempts: Count,
  created_at: Time,
  ended_at: v.nullable(Time),
  response: v.pipe(v.nullable(v.number()), v.description("The status of the last answer.")),
  error: v.nullable(v.string()),
});

export type Thread = v.InferOutput<typeof Thread>;
export type ThreadPart = v.InferOutput<typeof ThreadPart>;
export type Usage = v.InferOutput<typeof Usage>;
export type Imported = v.InferOutput<typeof Imported>;
export type Questions = v.InferOutput<typeof Questions>;
export type EventReceipt = v.InferOutput<typeof EventReceipt>;
export type Delivery = v.InferOutput<typeof Delivery>;
