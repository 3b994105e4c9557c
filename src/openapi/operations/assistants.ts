import * as v from "valibot";
import {
  Assistant,
  AssistantPart,
  DrawnGraph,
  GraphSchemas,
  SubgraphSchemas,
} from "../../http/answers/assistant.ts";
import { Count } from "../../http/answers/thread.ts";
import {
  CountAssistantsBody,
  CreateAssistantBody,
  DeleteAssistantQuery,
  GraphQuery,
  LatestBody,
  PatchAssistantBody,
  SearchAssistantsBody,
  SubgraphsQuery,
  VersionsBody,
} from "../../http/assistants/assistant-schemas.ts";
import type { Operations } from "../operation.ts";
import { OF_ASSISTANT, OF_DIRECTORY } from "./faults.ts";

export const assistantOperations = {
  "POST /assistants": {
    id: "createAssistant",
    summary: "Make an assistant: a graph with a configuration",
    body: { schema: CreateAssistantBody, example: { graph_id: "support", name: "Refund desk" } },
    headers: ["Idempotency-Key"],
    answers: { 200: Assistant },
    errors: [
      ...OF_DIRECTORY,
      "unknown_graph",
      "assistant_exists",
      "value_too_large",
      "idempotency_key_in_use",
    ],
  },
  "POST /assistants/search": {
    id: "searchAssistants",
    summary: "Find assistants",
    body: { schema: SearchAssistantsBody, example: { graph_id: "support" } },
    answers: { 200: v.array(AssistantPart) },
    answerHeaders: ["x-pagination-total", "x-pagination-next"],
    errors: OF_DIRECTORY,
  },
  "POST /assistants/count": {
    id: "countAssistants",
    summary: "How many assistants there are",
    body: { schema: CountAssistantsBody, example: { graph_id: "support" } },
    answers: { 200: Count },
    errors: OF_DIRECTORY,
  },
  "GET /assistants/:assistant_id": {
    id: "getAssistant",
    summary: "An assistant",
    answers: { 200: Assistant },
    errors: OF_ASSISTANT,
  },
  "PATCH /assistants/:assistant_id": {
    id: "patchAssistant",
    summary: "Make another version of an assistant",
    description: "Metadata is merged, anything else replaced.",
    body: { schema: PatchAssistantBody, example: { context: { tone: "formal" } } },
    answers: { 200: Assistant },
    errors: [...OF_ASSISTANT, "value_too_large"],
  },
  "DELETE /assistants/:assistant_id": {
    id: "deleteAssistant",
    summary: "Remove an assistant",
    query: DeleteAssistantQuery,
    answers: { 204: null },
    errors: OF_ASSISTANT,
  },
  "POST /assistants/:assistant_id/versions": {
    id: "listAssistantVersions",
    summary: "The versions of an assistant, the newest first",
    body: { schema: VersionsBody, example: { limit: 10 } },
    answers: { 200: v.array(Assistant) },
    errors: OF_ASSISTANT,
  },
  "POST /assistants/:assistant_id/latest": {
    id: "setLatestAssistant",
    summary: "Make a version the one that counts",
    body: { schema: LatestBody, example: { version: 1 } },
    headers: ["Idempotency-Key"],
    answers: { 200: Assistant },
    errors: [...OF_ASSISTANT, "idempotency_key_in_use"],
  },
  "GET /assistants/:assistant_id/graph": {
    id: "getGraph",
    summary: "The nodes and edges of the graph of an assistant",
    query: GraphQuery,
    answers: { 200: DrawnGraph },
    errors: [...OF_ASSISTANT, "not_found"],
  },
  "GET /assistants/:assistant_id/schemas": {
    id: "getSchemas",
    summary: "The JSON Schemas of the graph of an assistant",
    answers: { 200: GraphSchemas },
    errors: OF_ASSISTANT,
  },
  "GET /assistants/:assistant_id/subgraphs": {
    id: "getSubgraphs",
    summary: "The JSON Schemas of the graphs inside its nodes",
    query: SubgraphsQuery,
    answers: { 200: SubgraphSchemas },
    errors: OF_ASSISTANT,
  },
  "GET /assistants/:assistant_id/subgraphs/:namespace": {
    id: "getSubgraph",
    summary: "The JSON Schemas of the graphs at or below a node",
    query: SubgraphsQuery,
    answers: { 200: SubgraphSchemas },
    errors: OF_ASSISTANT,
  },
} as const satisfies Operations;
