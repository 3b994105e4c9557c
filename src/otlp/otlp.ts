import { stoppedAfter } from "../in-time.ts";
import type { OpenTraces, TracedRun, TraceHost, Traces } from "../thread/attempt/traces.ts";
import type { Span } from "../pregel/span.ts";
import { VERSION } from "../version.ts";
import { describeRun } from "./attributes.ts";
import { RecordedSpan, type Recorder } from "./recorded-span.ts";
import { type Sent, SpanQueue } from "./span-queue.ts";
import { exportRequest } from "./span-record.ts";
import { parentOf, placeOf } from "./trace-context.ts";

export interface OtlpOptions {
  /** Where spans are sent, as OTLP over HTTP in JSON: "https://collector.example.com/v1/traces". */
  readonly url: string;
  /** What goes with every request, as keys do; a function reads them from the Worker's bindings. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | ((env: Cloudflare.Env) => Readonly<Record<string, string>>);
  /** `service.name` of the spans; "tidemark" by default. */
  readonly service?: string;
  /** Whether inputs, outputs and the messages of errors are sent; false by default. */
  readonly payloads?: boolean;
}

/** How long an endpoint may take, in milliseconds. */
const TIMEOUT = 10_000;

/**
 * Sends a trace of each run: its supersteps, tasks, and the calls of models and tools in them. No run waits for it, or fails
 * with it.
 *
 * @example
 * createRuntime({ graphs, traces: otlp({ url, headers: (env) => ({ authorization: `Basic ${env.LANGFUSE_KEY}` }) }) });
 */
export function otlp(options: OtlpOptions): OpenTraces {
  return (env, host) => new OtlpTraces(options, env, host);
}

class OtlpTraces implements Traces {
  readonly #queue: SpanQueue;
  readonly #recorder: Recorder;

  constructor(options: OtlpOptions, env: Cloudflare.Env, host: TraceHost) {
    this.#queue = new SpanQueue(host, (spans) => send(options, env, spans));
    this.#recorder = {
      now: () => host.now(),
      hasPayloads: options.payloads === true,
      add: (span) => this.#queue.add(span),
    };
  }

  begin(run: TracedRun): Span | undefined {
    const parent = parentOf(run.traceparent);
    if (parent?.isSampled === false) return undefined;
    return new RecordedSpan(this.#recorder, {
      place: placeOf(run),
      parentSpanId: parent?.spanId,
      links: linksOf(run),
      described: describeRun(run),
      input: run.input,
    });
  }

  flush(): Promise<void> {
    return this.#queue.flush();
  }
}

/** To the attempt before, and to the run that had paused. */
function linksOf(run: TracedRun) {
  const earlier = run.attempt > 1 ? [placeOf({ ...run, attempt: run.attempt - 1 })] : [];
  return run.resumed === undefined ? earlier : [...earlier, placeOf(run.resumed)];
}

async function send(
  { url, headers = {}, service = "tidemark" }: OtlpOptions,
  env: Cloudflare.Env,
  spans: readonly string[],
): Promise<Sent> {
  try {
    const own = typeof headers === "function" ? headers(env) : headers;
    const response = await stoppedAfter(TIMEOUT, (signal) =>
      fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...own },
        body: exportRequest(service, VERSION, spans),
        redirect: "manual",
        signal,
      }),
    );
    await response.body?.cancel();
    if (response.ok) return { status: "taken" };
    const isBusy = response.status === 429 || response.status >= 500;
    return { status: isBusy ? "again" : "refused", reason: String(response.status) };
  } catch {
    // Whatever it was: what spans say of it is that they have not come.
    return { status: "again", reason: "unreachable" };
  }
}
