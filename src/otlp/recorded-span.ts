import type { Span, SpanPart, SpanResult } from "../pregel/span.ts";
import { type Described, describePart, describeResult, payloadText } from "./attributes.ts";
import { KIND, keyValues, nanoseconds, type SpanRecord, STATUS } from "./span-record.ts";
import { randomSpanId, type SpanPlace } from "./trace-context.ts";

export interface Recorder {
  now(): number;
  /** Whether inputs, outputs and the messages of errors are recorded. */
  readonly hasPayloads: boolean;
  /** Takes a span that has ended. */
  add(span: SpanRecord): void;
}

export interface SpanStart {
  readonly place: SpanPlace;
  readonly parentSpanId?: string | undefined;
  readonly links?: readonly SpanPlace[];
  readonly described: Described;
  readonly input?: (() => unknown) | undefined;
}

/** A span that is recorded when it ends, and with it what of its parts is open. */
export class RecordedSpan implements Span {
  readonly #recorder: Recorder;
  readonly #start: SpanStart;
  readonly #time: number;
  readonly #input: string | undefined;
  readonly #open = new Set<RecordedSpan>();
  #hasEnded = false;

  constructor(recorder: Recorder, start: SpanStart) {
    this.#recorder = recorder;
    this.#start = start;
    this.#time = recorder.now();
    const isWanted = recorder.hasPayloads && start.described.payloads !== undefined;
    this.#input = isWanted && start.input !== undefined ? payloadText(start.input) : undefined;
  }

  begin(part: SpanPart): RecordedSpan {
    const { traceId, spanId } = this.#start.place;
    for (const open of this.#open) if (open.#hasEnded) this.#open.delete(open);
    const span = new RecordedSpan(this.#recorder, {
      place: { traceId, spanId: randomSpanId() },
      parentSpanId: spanId,
      described: describePart(part),
      ...("input" in part && { input: part.input }),
    });
    this.#open.add(span);
    return span;
  }

  end(result: SpanResult): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const open of this.#open)
      open.end({ status: result.status === "interrupted" ? "interrupted" : "left" });
    this.#open.clear();
    this.#recorder.add(this.#record(result));
  }

  #record(result: SpanResult): SpanRecord {
    const { place, parentSpanId, links = [], described } = this.#start;
    const { name, attributes, payloads, isCall } = described;
    const { hasPayloads } = this.#recorder;
    const said = payloads && {
      [payloads.input]: this.#input,
      [payloads.output]: hasPayloads && result.output !== undefined ? payloadText(result.output) : undefined,
    };
    return {
      ...place,
      ...(parentSpanId !== undefined && { parentSpanId }),
      name,
      kind: isCall ? KIND.client : KIND.internal,
      startTimeUnixNano: nanoseconds(this.#time),
      endTimeUnixNano: nanoseconds(this.#recorder.now()),
      attributes: keyValues({ ...attributes, ...describeResult(result), ...said }),
      links,
      status: statusOf(result, hasPayloads),
    };
  }
}

function statusOf({ status, error }: SpanResult, hasPayloads: boolean): SpanRecord["status"] {
  if (status === "failed") {
    const message = hasPayloads && hasMessage(error) ? { message: error.message } : {};
    return { code: STATUS.error, ...message };
  }
  return { code: status === "done" ? STATUS.ok : STATUS.unset };
}

function hasMessage(error: unknown): error is { readonly message: string } {
  return (
    typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
  );
}
