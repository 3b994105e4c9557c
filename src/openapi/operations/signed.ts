import * as v from "valibot";
import { EventReceipt } from "../../http/answers/thread.ts";
import type { Operations } from "../operation.ts";

/** What proves by a signature that it may. */
const OF_HOOK = [
  "invalid_hook",
  "hook_expired",
  "hook_revoked",
  "hook_used",
  "thread_busy",
  "thread_unavailable",
] as const;

export const signedOperations = {
  "GET /hooks/:token": {
    id: "showHook",
    summary: "The question that a link answers, as a page with a form",
    answers: { 200: { contentType: "text/html", description: "A page without scripts" } },
    errorsAs: "text/html",
    errors: OF_HOOK,
  },
  "POST /hooks/:token": {
    id: "answerHook",
    summary: "Answer the question of a link",
    description: "The answer is JSON, or the field `value` of a form, for which a page is answered.",
    body: { schema: v.unknown(), example: { approved: true } },
    headers: ["Idempotency-Key"],
    answers: { 200: v.object({ accepted: v.literal(true) }) },
    errors: [...OF_HOOK, "interrupt_answered"],
  },
  "POST /webhooks/:source": {
    id: "receiveWebhook",
    summary: "What somebody outside reports, signed by themselves",
    body: { contentType: "application/json", description: "Whatever the source sends." },
    answers: {
      200: v.union([EventReceipt, v.object({ status: v.literal("ignored") })]),
    },
    errors: [
      "invalid_json",
      "invalid_request",
      "body_too_large",
      "not_found",
      "invalid_signature",
      "invalid_event",
      "invalid_event_key",
      "event_too_large",
      "too_many_events",
      "invalid_thread_id",
      "thread_not_found",
      "thread_unavailable",
    ],
  },
} as const satisfies Operations;
