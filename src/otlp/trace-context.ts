import { toHex } from "../hex.ts";
import { sha1 } from "../sha1.ts";

/** Where a span is: hexadecimal, as W3C Trace Context has it. */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

interface Attempted {
  readonly runId: string;
  readonly attempt: number;
  readonly traceparent?: string | undefined;
}

const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const SAMPLED = 1;
const NOTHING = new Uint8Array();

/** The span that a request is a part of; undefined for a header that says none. */
export function parentOf(traceparent = ""): (SpanPlace & { readonly isSampled: boolean }) | undefined {
  const [, traceId, spanId, flags = "0"] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/**
 * Where the span of an attempt is. It follows from the run, so that others can be linked to it when nobody remembers it any
 * more.
 */
export function placeOf({ runId, attempt, traceparent }: Attempted): SpanPlace {
  return {
    traceId: parentOf(traceparent)?.traceId ?? hashOf(runId).slice(0, 32),
    spanId: hashOf(`${runId}/${attempt}`).slice(0, 16),
  };
}

export function randomSpanId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(8)));
}

function hashOf(text: string): string {
  return sha1(NOTHING, text);
}
