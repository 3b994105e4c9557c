import * as v from "valibot";
import {
  Count,
  Delivery,
  EventReceipt,
  Imported,
  Pruned,
  Questions,
  Thread,
  ThreadPart,
  Usage,
} from "../../http/answers/thread.ts";
import { DeliveriesQuery } from "../../http/hooks/hook-schemas.ts";
import { AnyBody, CopyBody, PruneBody, PruneThreadsBody } from "../../http/requests/schemas.ts";
import {
  CountThreadsBody,
  CreateThreadBody,
  InterruptsQuery,
  PatchStateBody,
  PatchThreadBody,
  SearchThreadsBody,
  ThreadQuery,
} from "../../http/threads/thread-schemas.ts";
import type { Operations } from "../operation.ts";
import { OF_DIRECTORY, OF_READING, OF_THREAD } from "./faults.ts";

const ARCHIVE = {
  contentType: "application/vnd.tidemark.thread",
  description: "The whole thread as one file, with its version and checksums.",
} as const;

export const threadOperations = {
  "POST /threads": {
    id: "createThread",
    summary: "Make a thread that has run nothing",
    description:
      "With `supersteps` it is made of what nodes are said to have returned. `ttl` is in minutes: so long after its last use the thread is deleted.",
    body: { schema: CreateThreadBody, example: { metadata: { customer: "c-17" } } },
    headers: ["Idempotency-Key"],
    answers: { 200: Thread },
    errors: [
      "invalid_thread_id",
      "thread_unavailable",
      "thread_exists",
      "graph_required",
      "unknown_graph",
      "unknown_node",
      "invalid_input",
      "invalid_update",
      "update_refused",
    ],
  },
  "POST /threads/search": {
    id: "searchThreads",
    summary: "Find threads",
    description:
      "A thread that was just made is found at once, what becomes of a run a moment later. Without `values`, `config` and `interrupts` among `select`, no thread has to be asked.",
    body: { schema: SearchThreadsBody, example: { metadata: { customer: "c-17" }, status: "interrupted" } },
    answers: { 200: v.array(ThreadPart) },
    answerHeaders: ["x-pagination-total", "x-pagination-next"],
    errors: [...OF_DIRECTORY, "response_too_large"],
  },
  "POST /threads/count": {
    id: "countThreads",
    summary: "How many threads there are",
    body: { schema: CountThreadsBody, example: { status: "interrupted" } },
    answers: { 200: Count },
    errors: OF_DIRECTORY,
  },
  "POST /threads/prune": {
    id: "pruneThreads",
    summary: "Prune several threads",
    description: "Threads that are not there, and those in which a run is going on, are left as they are.",
    body: { schema: PruneThreadsBody, example: { thread_ids: ["t1", "t2"], keep_last: 5 } },
    headers: ["Idempotency-Key"],
    answers: { 200: Pruned },
    errors: ["invalid_thread_id", "invalid_prune", "thread_unavailable", "idempotency_key_in_use"],
  },
  "GET /threads/:thread_id": {
    id: "getThread",
    summary: "The thread",
    query: ThreadQuery,
    answers: { 200: Thread },
    errors: OF_READING,
  },
  "PATCH /threads/:thread_id": {
    id: "patchThread",
    summary: "Change the metadata of a thread, or when it is deleted",
    headers: ["Prefer"],
    body: { schema: PatchThreadBody, example: { metadata: { priority: "high" } } },
    answers: { 200: Thread, 204: null },
    errors: [...OF_READING, "value_too_large"],
  },
  "PATCH /threads/:thread_id/state": {
    id: "patchState",
    summary: "Change the metadata of a thread, as clients of LangGraph's platform ask for it",
    body: { schema: PatchStateBody, example: { metadata: { priority: "high" } } },
    answers: { 204: null },
    errors: [...OF_READING, "value_too_large"],
  },
  "DELETE /threads/:thread_id": {
    id: "deleteThread",
    summary: "Remove the thread and all it has stored, and end its runs",
    answers: { 204: null },
    errors: OF_THREAD,
  },
  "POST /threads/:thread_id/prune": {
    id: "pruneThread",
    summary: "Remove checkpoints of a thread",
    description: "Its state, its open questions and what graphs inside its nodes remember stay.",
    body: { schema: PruneBody, example: { keep_last: 5 } },
    headers: ["Idempotency-Key"],
    answers: { 204: null },
    errors: [...OF_THREAD, "invalid_prune", "thread_busy", "blob_unavailable", "idempotency_key_in_use"],
  },
  "POST /threads/:thread_id/copy": {
    id: "copyThread",
    summary: "Make another thread of all that this one has",
    body: { schema: CopyBody, example: { thread_id: "t1-copy" } },
    headers: ["Idempotency-Key"],
    answers: { 200: Thread },
    errors: [
      ...OF_READING,
      "thread_busy",
      "thread_exists",
      "thread_empty",
      "blob_unavailable",
      "idempotency_key_in_use",
    ],
  },
  "GET /threads/:thread_id/export": {
    id: "exportThread",
    summary: "The whole thread as one file",
    description: "It breaks off when the thread is written before it is complete.",
    answers: { 200: ARCHIVE },
    errors: [...OF_THREAD, "thread_busy", "thread_empty", "blob_unavailable"],
  },
  "POST /threads/:thread_id/import": {
    id: "importThread",
    summary: "Make a new thread of an export",
    body: ARCHIVE,
    headers: ["Idempotency-Key"],
    answers: { 201: Imported },
    errors: [
      "unsupported_media_type",
      "invalid_archive",
      "archive_too_new",
      "unknown_graph",
      "thread_exists",
      "value_too_large",
      "body_too_large",
    ],
  },
  "POST /threads/:thread_id/events/:key": {
    id: "sendEvent",
    summary: "Send an event to a node that waits for its key, or will",
    body: { schema: AnyBody, example: { paid: true } },
    headers: ["Idempotency-Key"],
    answers: { 200: EventReceipt },
    errors: [...OF_THREAD, "invalid_event_key", "invalid_event", "event_too_large", "too_many_events"],
  },
  "GET /threads/:thread_id/deliveries": {
    id: "listDeliveries",
    summary: "What has become of the messages about the runs of a thread",
    query: DeliveriesQuery,
    answers: { 200: v.array(Delivery) },
    errors: OF_THREAD,
  },
  "GET /threads/:thread_id/usage": {
    id: "getUsage",
    summary: "How much a thread takes, in rows and bytes",
    answers: { 200: Usage },
    errors: OF_THREAD,
  },
  "GET /interrupts": {
    id: "listInterrupts",
    summary: "The questions that wait for an answer, of all threads",
    query: InterruptsQuery,
    answers: { 200: Questions },
    errors: OF_DIRECTORY,
  },
} as const satisfies Operations;
