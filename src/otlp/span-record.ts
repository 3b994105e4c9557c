import type { Attributes } from "./attributes.ts";
import type { SpanPlace } from "./trace-context.ts";

/** A span as OTLP has it in JSON: the names are those of its protocol buffers. */
export interface SpanRecord extends SpanPlace {
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly links: readonly SpanPlace[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

export const KIND = { internal: 1, client: 3 } as const;
export const STATUS = { unset: 0, ok: 1, error: 2 } as const;

/** The body of a request that sends spans, which are JSON text already. */
export function exportRequest(service: string, version: string, spans: readonly string[]): string {
  const scope = { name: "tidemark", version };
  const resource = { attributes: keyValues({ "service.name": service, "telemetry.sdk.name": "tidemark" }) };
  const [around, within] = [JSON.stringify(resource), JSON.stringify(scope)];
  return `{"resourceSpans":[{"resource":${around},"scopeSpans":[{"scope":${within},"spans":[${spans.join(",")}]}]}]}`;
}

export function keyValues(attributes: Attributes): KeyValue[] {
  return Object.entries(attributes).flatMap(([key, value]): KeyValue[] => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value } }];
  });
}

/** From milliseconds: more digits than a number has. */
export function nanoseconds(time: number): string {
  return `${Math.trunc(time)}000000`;
}
