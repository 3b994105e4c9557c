import type * as v from "valibot";
import type { GuardedRoute } from "../http/auth/permissions.ts";
import type { ErrorCode } from "../http/errors.ts";

/** What is said of a route beside its permission. What follows from its path and its parts is not said again. */
export interface Operation {
  /** Unique: generated clients name a method by it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: v.GenericSchema;
  readonly body?: JsonBody | RawBody;
  readonly headers?: readonly RequestHeader[];
  /** By status. */
  readonly answers: Readonly<Record<number, Answer>>;
  readonly answerHeaders?: readonly AnswerHeader[];
  /** How errors are shown, where not as JSON. */
  readonly errorsAs?: "text/html";
  /** Beside those that every such route has. */
  readonly errors?: readonly ErrorCode[];
}

export interface JsonBody {
  readonly schema: v.GenericSchema;
  readonly example: unknown;
}

/** A body that no schema checks. */
export interface RawBody {
  readonly contentType: string;
  readonly description: string;
}

/** A schema of JSON, a content of another type, or nothing at all. */
export type Answer = v.GenericSchema | RawBody | null;

/** Of a request that starts a run. */
export const STARTING = [
  "Idempotency-Key",
  "If-Match",
  "traceparent",
] as const satisfies readonly RequestHeader[];

export type RequestHeader = "Idempotency-Key" | "If-Match" | "Last-Event-ID" | "Prefer" | "traceparent";

export type AnswerHeader =
  | "Content-Location"
  | "Location"
  | "Retry-After"
  | "WWW-Authenticate"
  | "x-pagination-total"
  | "x-pagination-next";

/** What is served to whoever asks, or to whoever has signed. */
export type OpenRoute =
  | "GET /ok"
  | "GET /info"
  | "POST /webhooks/:source"
  | "GET /hooks/:token"
  | "POST /hooks/:token";

export type Route = GuardedRoute | OpenRoute;

/** The operations of some routes, by route. */
export type Operations = Readonly<Partial<Record<Route, Operation>>>;
