import * as v from "valibot";
import { JsonObject, Time } from "./parts.ts";

export const Item = v.object({
  namespace: v.array(v.string()),
  key: v.string(),
  value: JsonObject,
  created_at: Time,
  updated_at: Time,
});

export const FoundItems = v.object({
  items: v.array(
    v.object({
      ...Item.entries,
      score: v.optional(
        v.pipe(v.number(), v.description("How near it is to the query: 1 is the same direction.")),
      ),
    }),
  ),
});

export const Namespaces = v.object({ namespaces: v.array(v.array(v.string())) });

export type Item = v.InferOutput<typeof Item>;
