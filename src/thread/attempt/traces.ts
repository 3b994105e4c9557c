import type { Log } from "../../log.ts";
import type { Span } from "../../pregel/span.ts";

/** A run that is entered, to who makes traces. */
export interface TracedRun {
  readonly runId: string;
  /** Counted from 1: a run that was cut off is entered again. */
  readonly attempt: number;
  readonly tenant: string;
  readonly threadId: string;
  readonly graph: string;
  /** The header of the request that has started it: see W3C Trace Context. */
  readonly traceparent?: string | undefined;
  /** The run that had paused, where this one goes on with it. */
  readonly resumed?: {
    readonly runId: string;
    readonly attempt: number;
    readonly traceparent?: string | undefined;
  };
  readonly input: () => unknown;
}

/** Where spans go. No run waits for it, or fails with what it throws. */
export interface Traces {
  /** Undefined for a run that is not to be seen. */
  begin(run: TracedRun): Span | undefined;
  /** Resolves when what has ended is sent, or cannot be. */
  flush(): Promise<void>;
}

/** What a thread's object lends to who makes traces of it. */
export interface TraceHost {
  now(): number;
  /** Keeps the object alive while the work goes on. */
  waitUntil(work: Promise<unknown>): void;
  readonly log: Log;
}

/** Makes the traces of one object, from the Worker's bindings. */
export type OpenTraces = (env: Cloudflare.Env, host: TraceHost) => Traces | undefined;
