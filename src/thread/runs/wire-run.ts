import type { AnswerRecord } from "../answers/answer-rows.ts";
import { actionOf, reasonOf } from "./cancellation.ts";
import { runEnd } from "./run-answer.ts";
import { isTold } from "../attempt/run-listener.ts";
import type { RunRow } from "./run-row.ts";
import type { RequestedInput, RunRequest } from "./run-request.ts";
import { assistantOf } from "../thread-metadata.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import { toldWebhook } from "./told-webhook.ts";

/** A run in the form of LangGraph's platform, with keys of our own: attempts, progress, timings, limits, answers, cancelled and error. */
export async function wireRun(
  storage: ThreadStorage,
  threadId: string,
  run: RunRow,
): Promise<Readonly<Record<string, unknown>>> {
  // What a router sent and this object stored, in the shape that it was parsed into.
  const request = (await storage.records.read(threadId, run.request)) as RunRequest;
  const { progress, endedAt, startAt, startedAt } = { ...run, progress: storage.progress(run) };
  const graph = request.graph ?? storage.thread()?.graph;
  const hasFailed = endedAt !== undefined && run.status !== "success";
  return {
    run_id: run.id,
    thread_id: threadId,
    assistant_id: graph === undefined ? null : assistantOf(graph, request.assistant),
    status: run.status,
    created_at: time(run.createdAt),
    updated_at: time(endedAt ?? startedAt ?? run.createdAt),
    metadata: request.config.metadata ?? {},
    multitask_strategy: run.multitask,
    kwargs: kwargs(request),
    attempts: run.attempt,
    progress: { supersteps: progress.supersteps, checkpoint_id: progress.checkpointId ?? null },
    timings: {
      starts_at: time(startAt),
      started_at: time(startedAt),
      ended_at: time(endedAt),
      limit_seconds: run.timeLimit === undefined ? null : run.timeLimit / 1000,
    },
    limits: request.limits ?? null,
    answers: storage.answers.ofRun(run.id).map(wireAnswered),
    cancelled: run.cancelled === undefined ? null : actionOf(run.cancelled),
    cancel_reason: run.cancelled === undefined ? null : reasonOf(run.cancelled),
    error: hasFailed ? ((await runEnd(storage, threadId, run)).error ?? null) : null,
  };
}

/** A question that the run has answered, and for whom. */
function wireAnswered({
  interruptId,
  checkpointId,
  answeredAt,
  answeredBy,
  onBehalfOf,
}: AnswerRecord): unknown {
  return {
    interrupt_id: interruptId,
    checkpoint_id: checkpointId,
    answered_at: time(answeredAt),
    answered_by: answeredBy ?? null,
    on_behalf_of: onBehalfOf ?? null,
  };
}

/** What it was started with, apart from what is erased when it ends. */
function kwargs({ input, config, webhook, ...request }: RunRequest): unknown {
  const { recursionLimit, tags, metadata } = config;
  return {
    ...wireInput(input),
    config: {
      ...(recursionLimit !== undefined && { recursion_limit: recursionLimit }),
      ...(tags !== undefined && { tags }),
      ...(metadata !== undefined && { metadata }),
    },
    stream_mode: request.langGraphModes ?? request.modes,
    subgraphs: request.subgraphs ?? false,
    // Events that are told are kept.
    resumable: isTold(request),
    interrupt_before: request.interruptBefore ?? null,
    interrupt_after: request.interruptAfter ?? null,
    webhook: toldWebhook(webhook),
    checkpoint_id: request.checkpointId ?? null,
    on_interrupted: request.onInterrupted,
  };
}

function wireInput(input: RequestedInput): { readonly input: unknown; readonly command: unknown } {
  switch (input.kind) {
    case "continue":
      return { input: null, command: null };
    case "input":
      return { input: input.value, command: null };
    case "command": {
      const { kind: _, ...command } = input;
      return { input: null, command };
    }
    case "answers":
      return { input: null, command: { resume: Object.fromEntries(input.answers) } };
  }
}

function time(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
