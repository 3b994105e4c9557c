import * as v from "valibot";
import { JsonObject, Time } from "./parts.ts";

export const Cron = v.object({
  cron_id: v.string(),
  assistant_id: v.nullable(v.string()),
  thread_id: v.pipe(v.nullable(v.string()), v.description("Null when each run has a thread of its own.")),
  on_run_completed: v.nullable(v.picklist(["delete", "keep"])),
  schedule: v.string(),
  timezone: v.string(),
  enabled: v.boolean(),
  created_at: Time,
  updated_at: Time,
  end_time: v.nullable(Time),
  next_run_date: v.nullable(Time),
  user_id: v.null(),
  payload: v.pipe(JsonObject, v.description("What its runs are started with.")),
  metadata: JsonObject,
  last_run_id: v.nullable(v.string()),
  last_error: v.pipe(v.nullable(v.string()), v.description("The code of why the last run was not taken in.")),
});

/** A cron with only the keys that were selected. */
export const CronPart = v.partial(Cron);

export type Cron = v.InferOutput<typeof Cron>;
