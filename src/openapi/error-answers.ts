import { ErrorBody } from "../http/answers/error.ts";
import { type ErrorCode, statusOf } from "../http/errors.ts";
import type { DocumentedAnswer } from "./documented-answer.ts";
import type { AnswerHeader, Operation } from "./operation.ts";
import { answerHeaders } from "./parameters.ts";
import { permissionOf } from "./security.ts";
import type { ShownSchemas } from "./shown-schemas.ts";

const OF_EVERYONE = ["local_only"] as const;
const OF_CALLERS = ["unauthenticated", "forbidden", "rate_limited", "auth_unavailable"] as const;
const OF_BODIES = ["invalid_json", "invalid_request", "body_too_large", "unsupported_media_type"] as const;
const OF_THREADS = ["invalid_thread_id", "thread_unavailable"] as const;

/** What errors have beside their body. */
const HEADERS: Partial<Record<ErrorCode, AnswerHeader>> = {
  unauthenticated: "WWW-Authenticate",
  idempotency_key_in_use: "Retry-After",
};

/** The codes that an operation can be refused with, in order. */
export function codesOf(
  route: string,
  { body, query, headers = [], errors = [] }: Operation,
): readonly ErrorCode[] {
  const isGuarded = permissionOf(route) !== undefined;
  const isSigned = /^\w+ \/(?:hooks|webhooks)\//.test(route);
  const codes = new Set<ErrorCode>([
    ...(isSigned ? [] : OF_EVERYONE),
    ...(isGuarded ? OF_CALLERS : []),
    ...(/\/:(?:thread|run)_id/.test(route) ? OF_THREADS : []),
    ...(body && "schema" in body ? OF_BODIES : []),
    ...(query || headers.length > 0 || route.includes("/:") ? (["invalid_request"] as const) : []),
    ...(headers.includes("Idempotency-Key") ? (["idempotency_key_reused"] as const) : []),
    ...(headers.includes("If-Match") ? (["head_moved"] as const) : []),
    ...errors,
  ]);
  return [...codes];
}

/** One answer for each status that an error can have. */
export function errorAnswers(
  route: string,
  operation: Operation,
  schemas: ShownSchemas,
): Readonly<Record<string, DocumentedAnswer>> {
  const byStatus = Map.groupBy(codesOf(route, operation), statusOf);
  const { errorsAs } = operation;
  const content = errorsAs ? { [errorsAs]: {} } : { "application/json": { schema: schemas.of(ErrorBody) } };
  const refusals = [...byStatus].map(([status, codes]) => {
    const headers = answerHeaders(codes.flatMap((code) => HEADERS[code] ?? []));
    const description = codes.map((code) => `\`${code}\``).join(", ");
    const hasHeaders = Object.keys(headers).length > 0;
    return [String(status), { description, content, ...(hasHeaders && { headers }), "x-codes": codes }];
  });
  return {
    ...Object.fromEntries(refusals),
    "500": { description: "The run failed, or the server did: any other code.", content },
  };
}
