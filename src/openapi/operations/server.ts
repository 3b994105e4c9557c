import { Info, Ok } from "../../http/answers/server.ts";
import { HealthQuery } from "../../http/server/health-routes.ts";
import type { Operations } from "../operation.ts";

export const serverOperations = {
  "GET /ok": {
    id: "getHealth",
    summary: "Whether the server answers",
    query: HealthQuery,
    answers: { 200: Ok },
    errors: ["directory_unavailable", "thread_unavailable"],
  },
  "GET /info": { id: "getInfo", summary: "What the server can do", answers: { 200: Info } },
  "GET /openapi.json": {
    id: "getOpenApi",
    summary: "This document",
    answers: { 200: { contentType: "application/json", description: "OpenAPI 3.1" } },
  },
  "GET /docs": {
    id: "getDocs",
    summary: "This document, as a page",
    answers: { 200: { contentType: "text/html", description: "A page without scripts" } },
  },
} as const satisfies Operations;
