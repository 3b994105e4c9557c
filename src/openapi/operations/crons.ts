import * as v from "valibot";
import { Cron, CronPart } from "../../http/answers/cron.ts";
import { Count } from "../../http/answers/thread.ts";
import {
  CountCronsBody,
  GraphCronBody,
  PatchCronBody,
  SearchCronsBody,
  ThreadCronBody,
} from "../../http/crons/cron-schemas.ts";
import type { Operations } from "../operation.ts";
import { OF_ASSISTANT, OF_THREAD } from "./faults.ts";

const OF_TERMS = ["invalid_schedule", "invalid_webhook", "cron_too_large", "context_too_large"] as const;
const EXAMPLE = { schedule: "0 9 * * 1-5", timezone: "Europe/Berlin", input: { message: "Good morning" } };

export const cronOperations = {
  "POST /threads/:thread_id/runs/crons": {
    id: "createThreadCron",
    summary: "Let runs of a thread come by the clock",
    body: { schema: ThreadCronBody, example: EXAMPLE },
    headers: ["Idempotency-Key"],
    answers: { 200: Cron },
    errors: [
      ...OF_THREAD,
      ...OF_ASSISTANT,
      ...OF_TERMS,
      "graph_required",
      "graph_mismatch",
      "too_many_crons",
      "idempotency_key_in_use",
    ],
  },
  "GET /threads/:thread_id/runs/crons": {
    id: "listThreadCrons",
    summary: "The crons of a thread",
    answers: { 200: v.array(Cron) },
    errors: OF_THREAD,
  },
  "DELETE /threads/:thread_id/runs/crons/:cron_id": {
    id: "deleteThreadCron",
    summary: "Remove a cron of a thread",
    answers: { 204: null },
    errors: [...OF_THREAD, "cron_not_found"],
  },
  "POST /runs/crons": {
    id: "createCron",
    summary: "Let runs come by the clock, each on a thread of its own",
    body: { schema: GraphCronBody, example: { assistant_id: "support", ...EXAMPLE } },
    headers: ["Idempotency-Key"],
    answers: { 200: Cron },
    errors: [...OF_ASSISTANT, ...OF_TERMS, "too_many_crons", "thread_unavailable", "idempotency_key_in_use"],
  },
  "POST /runs/crons/search": {
    id: "searchCrons",
    summary: "Find crons",
    body: { schema: SearchCronsBody, example: { assistant_id: "support", enabled: true } },
    answers: { 200: v.array(CronPart) },
    answerHeaders: ["x-pagination-total", "x-pagination-next"],
    errors: ["invalid_thread_id", "thread_unavailable"],
  },
  "POST /runs/crons/count": {
    id: "countCrons",
    summary: "How many crons there are",
    body: { schema: CountCronsBody, example: { enabled: true } },
    answers: { 200: Count },
    errors: ["invalid_thread_id", "thread_unavailable"],
  },
  "PATCH /runs/crons/:cron_id": {
    id: "patchCron",
    summary: "Change a cron",
    body: { schema: PatchCronBody, example: { enabled: false } },
    answers: { 200: Cron },
    errors: [...OF_TERMS, "cron_not_found", "thread_not_found", "thread_unavailable"],
  },
  "DELETE /runs/crons/:cron_id": {
    id: "deleteCron",
    summary: "Remove a cron",
    answers: { 204: null },
    errors: ["cron_not_found", "thread_not_found", "thread_unavailable"],
  },
} as const satisfies Operations;
