import * as v from "valibot";
import { Run, RunAnswer, RunPart, RunValues } from "../../http/answers/run.ts";
import { EventsQuery, ThreadEventsQuery } from "../../http/events/event-schemas.ts";
import { RunBatchBody, RunCreateBody } from "../../http/runs/run-create.ts";
import {
  CancelManyQuery,
  CancelQuery,
  CancelRunsBody,
  JoinQuery,
  ListRunsQuery,
} from "../../http/runs/runs-schemas.ts";
import { InvokeBody, ResumeBody, StreamBody } from "../../http/requests/schemas.ts";
import { type Operations, STARTING } from "../operation.ts";
import { OF_ASSISTANT, OF_DIRECTORY, OF_END, OF_START, OF_THREAD } from "./faults.ts";

const EVENTS = {
  contentType: "text/event-stream",
  description:
    "The events of the run: `metadata` first, then those of the modes that were asked for, then `end`, or `error` when the run failed. Each has an id; go on after it at the `Location`, with `Last-Event-ID`.",
} as const;

const LOCATED = ["Content-Location", "Location"] as const;

const INPUT = { messages: [{ role: "user", content: "Please refund order A-1001" }] };

export const runOperations = {
  "POST /threads/:thread_id/invoke": {
    id: "invoke",
    summary: "Start a run, and wait for its end",
    description:
      "The first run with an input makes the thread and binds it to its graph. A run that failed answers 500.",
    body: { schema: InvokeBody, example: { input: INPUT } },
    headers: STARTING,
    answers: { 200: RunAnswer },
    errors: [...OF_START, ...OF_END],
  },
  "POST /threads/:thread_id/resume": {
    id: "resume",
    summary: "Answer questions, and wait for the end of the run",
    description:
      "The first answer to a question wins; the same value again gets the outcome of the first one's run.",
    body: {
      schema: ResumeBody,
      example: { interrupt_id: "2fe5a1f9a9bd4d3d8b1e7c0e1d9f8a7b", value: { approved: true } },
    },
    headers: STARTING,
    answers: { 200: RunAnswer },
    errors: [...OF_START, ...OF_END],
  },
  "POST /threads/:thread_id/stream": {
    id: "stream",
    summary: "Start a run, and read its events",
    body: { schema: StreamBody, example: { input: INPUT, stream_mode: ["updates", "custom"] } },
    headers: STARTING,
    answers: { 200: EVENTS },
    answerHeaders: LOCATED,
    errors: OF_START,
  },
  "POST /threads/:thread_id/runs": {
    id: "createRun",
    summary: "Start a run, and go on at once",
    body: { schema: RunCreateBody, example: { assistant_id: "support", input: INPUT } },
    headers: STARTING,
    answers: { 200: Run },
    answerHeaders: ["Content-Location"],
    errors: [...OF_START, ...OF_ASSISTANT],
  },
  "POST /threads/:thread_id/runs/wait": {
    id: "waitForRun",
    summary: "Start a run, and get its values when it has ended",
    description: "Line breaks may come before the values. The status is 200 whatever comes.",
    body: { schema: RunCreateBody, example: { assistant_id: "support", input: INPUT } },
    headers: STARTING,
    answers: { 200: RunValues },
    answerHeaders: LOCATED,
    errors: [...OF_START, ...OF_ASSISTANT],
  },
  "POST /threads/:thread_id/runs/stream": {
    id: "streamRun",
    summary: "Start a run, and read its events, as LangGraph's clients do",
    body: {
      schema: RunCreateBody,
      example: { assistant_id: "support", input: INPUT, stream_mode: ["values", "messages-tuple"] },
    },
    headers: STARTING,
    answers: { 200: EVENTS },
    answerHeaders: LOCATED,
    errors: [...OF_START, ...OF_ASSISTANT],
  },
  "GET /threads/:thread_id/runs": {
    id: "listRuns",
    summary: "The runs of a thread, the newest first",
    query: ListRunsQuery,
    answers: { 200: v.array(RunPart) },
    errors: OF_THREAD,
  },
  "GET /threads/:thread_id/runs/:run_id": {
    id: "getRun",
    summary: "A run",
    answers: { 200: Run },
    answerHeaders: ["Content-Location"],
    errors: [...OF_THREAD, "run_not_found"],
  },
  "DELETE /threads/:thread_id/runs/:run_id": {
    id: "deleteRun",
    summary: "Remove a run that has ended; its checkpoints stay",
    answers: { 204: null },
    errors: [...OF_THREAD, "run_not_found", "run_not_ended"],
  },
  "GET /threads/:thread_id/runs/:run_id/join": {
    id: "joinRun",
    summary: "The values of a run when it has ended, now or long ago",
    description:
      "Line breaks may come before the values. The status is 200 whatever comes. To cancel the run on disconnect needs the permission `threads:update`.",
    query: JoinQuery,
    answers: { 200: RunValues },
    answerHeaders: LOCATED,
    errors: [...OF_THREAD, "run_not_found"],
  },
  "GET /threads/:thread_id/runs/:run_id/stream": {
    id: "joinStream",
    summary: "The events of a run, as often as wanted",
    query: EventsQuery,
    headers: ["Last-Event-ID"],
    answers: { 200: EVENTS },
    answerHeaders: LOCATED,
    errors: [...OF_THREAD, "run_not_found"],
  },
  "POST /threads/:thread_id/runs/:run_id/cancel": {
    id: "cancelRun",
    summary: "End a run",
    query: CancelQuery,
    headers: ["Idempotency-Key"],
    answers: { 200: Run, 202: Run, 204: null },
    answerHeaders: ["Content-Location"],
    errors: [...OF_THREAD, "run_not_found", "idempotency_key_in_use"],
  },
  "GET /threads/:thread_id/stream": {
    id: "joinThreadStream",
    summary: "The events of the runs of a thread, one after the other, also of those to come",
    description:
      "Each run is followed by `run_done`, which alone has an id: with `Last-Event-ID` come the runs after that one, with -1 all that are kept; without it what goes on now and what comes.",
    query: ThreadEventsQuery,
    headers: ["Last-Event-ID"],
    answers: { 200: EVENTS },
    answerHeaders: ["Location"],
    errors: [...OF_THREAD, "invalid_filter"],
  },
  "POST /runs/cancel": {
    id: "cancelRuns",
    summary: "End several runs: those that are named, or all that wait or go on",
    description:
      "Without `thread_id` the ids are those of runs that were started without a thread, and a `status` means the runs of up to 1,000 threads.",
    query: CancelManyQuery,
    body: { schema: CancelRunsBody, example: { thread_id: "t1", status: "all" } },
    headers: ["Idempotency-Key"],
    answers: { 204: null },
    errors: [
      ...OF_THREAD,
      ...OF_DIRECTORY,
      "invalid_thread_id",
      "thread_unavailable",
      "idempotency_key_in_use",
    ],
  },
  "GET /runs/:run_id/join": {
    id: "joinStatelessRun",
    summary: "The values of a run that was started without a thread, when it has ended",
    query: JoinQuery,
    answers: { 200: RunValues },
    answerHeaders: LOCATED,
    errors: [...OF_THREAD, "run_not_found"],
  },
  "GET /runs/:run_id/stream": {
    id: "joinStatelessStream",
    summary: "The events of a run that was started without a thread",
    query: EventsQuery,
    headers: ["Last-Event-ID"],
    answers: { 200: EVENTS },
    answerHeaders: LOCATED,
    errors: [...OF_THREAD, "run_not_found"],
  },
  "POST /runs": {
    id: "createStatelessRun",
    summary: "Start a run on a thread of its own, and go on at once",
    body: { schema: RunCreateBody, example: { assistant_id: "support", input: INPUT } },
    headers: STARTING,
    answers: { 200: Run },
    answerHeaders: ["Content-Location"],
    errors: [...OF_START, ...OF_ASSISTANT, "thread_unavailable"],
  },
  "POST /runs/wait": {
    id: "waitForStatelessRun",
    summary: "Start a run on a thread of its own, and get its values",
    body: { schema: RunCreateBody, example: { assistant_id: "support", input: INPUT } },
    headers: STARTING,
    answers: { 200: RunValues },
    answerHeaders: LOCATED,
    errors: [...OF_START, ...OF_ASSISTANT, "thread_unavailable"],
  },
  "POST /runs/stream": {
    id: "streamStatelessRun",
    summary: "Start a run on a thread of its own, and read its events",
    body: { schema: RunCreateBody, example: { assistant_id: "support", input: INPUT } },
    headers: STARTING,
    answers: { 200: EVENTS },
    answerHeaders: LOCATED,
    errors: [...OF_START, ...OF_ASSISTANT, "thread_unavailable"],
  },
  "POST /runs/batch": {
    id: "createRuns",
    summary: "Start several runs, each on a thread of its own",
    body: { schema: RunBatchBody, example: [{ assistant_id: "support", input: INPUT }] },
    headers: STARTING,
    answers: { 200: v.array(Run) },
    errors: [...OF_START, ...OF_ASSISTANT, "thread_unavailable"],
  },
} as const satisfies Operations;
