import * as v from "valibot";
import { Edited, State, StatePart } from "../../http/answers/state.ts";
import {
  CheckpointStateBody,
  HistoryBody,
  HistoryQuery,
  StateQuery,
  UpdateStateBody,
} from "../../http/threads/state-schemas.ts";
import type { Operations } from "../operation.ts";
import { OF_READING } from "./faults.ts";

const CHECKPOINT_ID = "01939b7e-6c1a-7d5e-8000-5b1f0c2a9d3e";
const OF_PLACE = ["checkpoint_not_found", "unknown_namespace"] as const;
const STATES = v.union([v.array(State), v.array(StatePart)]);

export const stateOperations = {
  "GET /threads/:thread_id/state": {
    id: "getState",
    summary: "The newest state",
    query: StateQuery,
    answers: { 200: v.union([State, StatePart]) },
    errors: OF_READING,
  },
  "GET /threads/:thread_id/state/:checkpoint_id": {
    id: "getStateAt",
    summary: "The state at a checkpoint",
    query: StateQuery,
    answers: { 200: v.union([State, StatePart]) },
    errors: [...OF_READING, ...OF_PLACE],
  },
  "POST /threads/:thread_id/state/checkpoint": {
    id: "getStateOf",
    summary: "The state at a checkpoint, also of a graph inside a node",
    body: { schema: CheckpointStateBody, example: { checkpoint: { checkpoint_id: CHECKPOINT_ID } } },
    answers: { 200: v.union([State, StatePart]) },
    errors: [...OF_READING, ...OF_PLACE],
  },
  "POST /threads/:thread_id/state": {
    id: "updateState",
    summary: "Apply values as if a node had returned them",
    description: "Refused while a run is going on.",
    body: { schema: UpdateStateBody, example: { values: { approved: true }, as_node: "ask_person" } },
    headers: ["Idempotency-Key", "If-Match"],
    answers: { 200: Edited },
    errors: [
      ...OF_READING,
      ...OF_PLACE,
      "invalid_input",
      "invalid_update",
      "update_refused",
      "unknown_node",
      "value_too_large",
      "thread_busy",
      "thread_empty",
      "unknown_graph",
      "graph_mismatch",
    ],
  },
  "GET /threads/:thread_id/history": {
    id: "getHistory",
    summary: "States, the newest first",
    description: "A page may have fewer than `limit`: go on with `before`, until one is empty.",
    query: HistoryQuery,
    answers: { 200: v.array(State) },
    errors: [...OF_READING, "checkpoint_not_found"],
  },
  "POST /threads/:thread_id/history": {
    id: "searchHistory",
    summary: "States, the newest first, by what their metadata has",
    body: { schema: HistoryBody, example: { limit: 10, metadata: { source: "loop" } } },
    answers: { 200: STATES },
    errors: [...OF_READING, ...OF_PLACE],
  },
} as const satisfies Operations;
