import type { Context, ErrorHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { errorBody, TidemarkError, type WireError } from "../errors.ts";
import { AuthRefusal } from "./auth/auth-refusal.ts";
import { stringifyJson } from "../json.ts";
import type { Report } from "../log.ts";
import { notedOf, noteOfRequest } from "./middleware/request-log.ts";

const statuses = {
  invalid_json: 400,
  invalid_request: 400,
  invalid_thread_id: 400,
  invalid_input: 400,
  invalid_command: 400,
  invalid_identifier: 400,
  invalid_context: 400,
  invalid_message: 400,
  invalid_codec: 400,
  duplicate_codec: 400,
  missing_thread_id: 400,
  missing_checkpoint_id: 400,
  invalid_recursion_limit: 400,
  invalid_namespace: 400,
  invalid_snapshot_frequency: 400,
  invalid_filter: 400,
  invalid_task: 400,
  invalid_durability: 400,
  invalid_stream_mode: 400,
  invalid_step_timeout: 400,
  invalid_limit: 400,
  invalid_limits: 400,
  invalid_usage: 400,
  invalid_update: 400,
  invalid_max_concurrency: 400,
  invalid_checkpointer: 400,
  invalid_response_schema: 400,
  invalid_time: 400,
  invalid_event_key: 400,
  invalid_event: 400,
  invalid_schedule: 400,
  invalid_expiry: 400,
  invalid_prune: 400,
  invalid_webhook: 400,
  not_cacheable: 400,
  empty_input: 400,
  invalid_archive: 400,
  archive_too_new: 400,
  graph_required: 400,
  unknown_node: 400,
  update_refused: 400,
  unauthenticated: 401,
  invalid_signature: 401,
  invalid_hook: 401,
  local_only: 403,
  forbidden: 403,
  refused: 403,
  not_found: 404,
  thread_not_found: 404,
  cron_not_found: 404,
  assistant_not_found: 404,
  checkpoint_not_found: 404,
  run_not_found: 404,
  unknown_graph: 404,
  unknown_namespace: 404,
  method_not_allowed: 405,
  graph_mismatch: 409,
  interrupt_not_pending: 409,
  interrupt_answered: 409,
  hook_used: 409,
  interrupt_ambiguous: 409,
  thread_interrupted: 409,
  thread_busy: 409,
  thread_exists: 409,
  assistant_exists: 409,
  thread_empty: 409,
  run_not_ended: 409,
  run_cancelled: 409,
  idempotency_key_in_use: 409,
  thread_deleted: 410,
  hook_expired: 410,
  hook_revoked: 410,
  head_moved: 412,
  body_too_large: 413,
  value_too_large: 413,
  event_too_large: 413,
  cron_too_large: 413,
  too_many_events: 429,
  too_many_runs: 429,
  too_many_crons: 429,
  context_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  directory_missing: 501,
  run_timed_out: 504,
  response_too_large: 507,
  auth_unavailable: 503,
  directory_unavailable: 503,
  blob_unavailable: 503,
  embedding_unavailable: 503,
  run_pending: 503,
  thread_unavailable: 503,
} as const satisfies Readonly<Record<string, ContentfulStatusCode>>;

/** The code of an error that has a status of its own. */
export type ErrorCode = keyof typeof statuses;

/** The status of every error that is not the server's own fault (500). */
export const STATUS: Readonly<Record<string, ContentfulStatusCode>> = statuses;

/** A run that was accepted and failed is not the caller's fault, whatever its error is called. */
export function failureResponse(context: Context, error: WireError): Response {
  return respond(context, error, 500);
}

export function errorResponse(context: Context, error: WireError): Response {
  return respond(context, error, statusOf(error.code));
}

export function statusOf(code: string): ContentfulStatusCode {
  return (Object.hasOwn(STATUS, code) ? STATUS[code] : undefined) ?? 500;
}

/** The status that the request gets for what was thrown. */
export function statusOfThrown(error: unknown): number {
  if (error instanceof AuthRefusal) return error.status;
  return error instanceof TidemarkError ? statusOf(error.code) : 500;
}

function authRefusal(context: Context, error: AuthRefusal): Response {
  error.headers.forEach((value, name) => context.header(name, value));
  // The type lists the statuses that have a name; any that may have a body will do.
  return respond(context, error, error.status as ContentfulStatusCode);
}

function respond(context: Context, error: WireError, status: ContentfulStatusCode): Response {
  noteOfRequest(context, { code: error.code });
  return context.body(stringifyJson(errorBody(error)), status, { "content-type": "application/json" });
}

/** What was thrown, as a response. */
export function errorHandler(report: Report): ErrorHandler {
  return (error, context) => {
    if (error instanceof AuthRefusal) return authRefusal(context, error);
    return errorResponse(
      context,
      wireErrorOf(error, (fault) => report(fault, notedOf(context))),
    );
  };
}

/** What is said of an error that was thrown. Only typed ones say what they are: others may hold what is nobody's business. */
export function wireErrorOf(error: unknown, report: Report): WireError {
  if (error instanceof TidemarkError) return error;
  report(error);
  const message =
    "The server failed. Nothing is known to be lost. A run may have been accepted: read /state before you start it again.";
  return { code: "internal", message, details: {} };
}
