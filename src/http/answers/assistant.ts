import * as v from "valibot";
import { JsonObject, Time } from "./parts.ts";

export const Assistant = v.object({
  assistant_id: v.string(),
  graph_id: v.string(),
  name: v.string(),
  description: v.nullable(v.string()),
  version: v.pipe(v.number(), v.integer()),
  config: JsonObject,
  context: JsonObject,
  metadata: JsonObject,
  created_at: Time,
  updated_at: Time,
});

/** An assistant with only the keys that were selected. */
export const AssistantPart = v.partial(Assistant);

export const DrawnGraph = v.object({ nodes: v.array(JsonObject), edges: v.array(JsonObject) });

const JsonSchema = v.pipe(
  v.nullable(JsonObject),
  v.description("A JSON Schema; null where the graph has none."),
);

export const GraphSchemas = v.object({
  graph_id: v.string(),
  input_schema: JsonSchema,
  output_schema: JsonSchema,
  state_schema: JsonSchema,
  config_schema: JsonSchema,
  context_schema: JsonSchema,
});

export const SubgraphSchemas = v.record(v.string(), GraphSchemas);

export type Assistant = v.InferOutput<typeof Assistant>;
export type GraphSchemas = v.InferOutput<typeof GraphSchemas>;
