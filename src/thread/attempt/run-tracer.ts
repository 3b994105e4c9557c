import type { Span, SpanResult } from "../../pregel/span.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { RunRequest } from "../runs/run-request.ts";
import type { Completion } from "../queue/completions.ts";
import type { RunRow } from "../runs/run-row.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { TracedRun, Traces } from "./traces.ts";

export interface RunTracerParts {
  readonly storage: ThreadStorage;
  readonly platform: Pick<ThreadPlatform, "waitUntil" | "report">;
  /** Absent: nobody wants to see runs. */
  readonly traces: Traces | undefined;
}

/** Gives runs the spans under which they are seen. */
export class RunTracer {
  readonly #parts: RunTracerParts;

  constructor(parts: RunTracerParts) {
    this.#parts = parts;
  }

  /** `work` gets the span of the run, when there is one. */
  async traced(
    run: RunRow,
    request: RunRequest,
    work: (span: Span | undefined) => Promise<Completion>,
  ): Promise<Completion> {
    const { platform, traces } = this.#parts;
    if (traces === undefined) return work(undefined);
    const span = traces.begin(await this.#about(run, request));
    try {
      const completion = await work(span);
      span?.end(resultOf(completion));
      return completion;
    } catch (error) {
      // Another attempt goes on with it, or somebody has ended it.
      span?.end({ status: "left", error });
      throw error;
    } finally {
      platform.waitUntil(traces.flush());
    }
  }

  async #about(run: RunRow, request: RunRequest): Promise<TracedRun> {
    const { tenant = "", thread_id: threadId = "", graph = "" } = this.#parts.storage.thread() ?? {};
    const resumed = request.input.kind === "input" ? undefined : await this.#before(run.id, threadId);
    return {
      runId: run.id,
      attempt: run.attempt,
      tenant,
      threadId,
      graph,
      traceparent: request.traceparent,
      ...(resumed !== undefined && { resumed }),
      input: () => request.input,
    };
  }

  async #before(runId: string, threadId: string): Promise<TracedRun["resumed"]> {
    const { records, runs } = this.#parts.storage;
    const before = runs.before(runId);
    if (before === undefined) return undefined;
    try {
      // As `unstageRun` reads it.
      const { traceparent } = (await records.read(threadId, before.request)) as RunRequest;
      return { runId: before.id, attempt: before.attempt, traceparent };
    } catch (error) {
      this.#parts.platform.report(error, { run_id: before.id });
      return undefined;
    }
  }
}

function resultOf(completion: Completion): SpanResult {
  if (completion.status === "refused") return { status: "failed", error: completion.error };
  const { end } = completion;
  if (end === undefined) return { status: "left" };
  const place = { checkpointId: end.checkpointId };
  if (end.error !== undefined) return { ...place, status: "failed", error: end.error };
  return { ...place, status: end.status === "interrupted" ? "interrupted" : "done", output: () => end };
}
