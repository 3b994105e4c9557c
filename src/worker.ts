/**
 * What a Worker needs to serve graphs.
 *
 * @module
 */

export { createRuntime } from "./runtime/create-runtime.ts";
export type { Runtime, RuntimeOptions } from "./runtime/options.ts";
export type { PlacementOptions } from "./runtime/placement.ts";
export { apiKeys, type ApiKey } from "./http/auth/api-keys.ts";
export type { LogFields, LogLevel, LogOptions, LogRecord, Report } from "./log.ts";
export type { NextTime } from "./thread/crons/schedules.ts";
export { githubWebhooks, standardWebhooks, stripeWebhooks } from "./http/webhooks/verifiers.ts";
export type { Secrets, TimedOptions } from "./http/webhooks/verifiers.ts";
export type { VerifyWebhook, WebhookDelivery, WebhookEvent, WebhookSource } from "./http/webhooks/source.ts";
export type { OpenTraces, TracedRun, TraceHost, Traces } from "./thread/attempt/traces.ts";
export type { Span, SpanPart, SpanResult } from "./pregel/span.ts";
export type { DeliveryOptions, HookOptions } from "./hooks/hook-options.ts";
export type { HookKey } from "./hooks/hook-keys.ts";
export type { EventOptions } from "./thread/events/event-options.ts";
export type { Authenticate, Principal } from "./http/auth/principal.ts";
