import * as v from "valibot";
import { JsonObject, Time } from "./parts.ts";

export const Item = v.object({
  namespace: v.array(v.string()),
  key: v.string(),
  value: JsonObject,
  created_at: Time,
  updated_at: Time,
});

export const FoundItems = v.object({ items: v.array(Item) });

export const Namespaces = v.object({ namespaces: v.array(v.array(v.string())) });

export type Item = v.InferOutput<typeof Item>;
