import * as v from "valibot";
import { Count } from "./thread.ts";

export const Erased = v.object({
  erased: v.pipe(v.boolean(), v.description("Whether nothing is left. Until then, ask again.")),
  threads_left: Count,
  failed: v.pipe(
    v.array(v.object({ thread_id: v.string(), code: v.string() })),
    v.description("Threads that could not be deleted yet."),
  ),
});

export const Rebuilt = v.object({
  announced: v.pipe(Count, v.description("Objects that are threads which the directory knows now.")),
  failed: v.array(v.object({ object: v.string(), code: v.string() })),
});
