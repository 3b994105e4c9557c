import * as v from "valibot";

export const Ok = v.object({ ok: v.literal(true) });

export const Info = v.object({
  version: v.string(),
  context: v.literal("js"),
  flags: v.record(v.string(), v.boolean()),
});
