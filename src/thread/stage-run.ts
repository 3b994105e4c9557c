import { RefusedError } from "../errors.ts";
import type { StagedRecord } from "../storage/record-store.ts";
import type { StartRun } from "./protocol.ts";
import type { NewRun } from "./run-rows.ts";
import type { ThreadStorage } from "./thread-storage.ts";

/** In bytes. A context stays in the run's row, which is how it can be erased: it is never put into the bucket. */
const MAX_CONTEXT = 256 * 1024;

/** A run that is ready to be put into the queue. */
export interface StagedRun {
  readonly record: StagedRecord;
  readonly run: Omit<NewRun, "createdAt">;
}

export async function stageRun(
  storage: ThreadStorage,
  { runId, threadId, request }: StartRun,
): Promise<StagedRun> {
  const { context, ...kept } = request;
  const contextRow = context === undefined ? undefined : await encodeContext(storage, context);
  const record = await storage.records.stage(threadId, "input", kept);
  return { record, run: { id: runId, request: record.body, context: contextRow } };
}

async function encodeContext(storage: ThreadStorage, context: unknown): Promise<NewRun["context"]> {
  const [type, data] = await storage.serde.dumpsTyped(context);
  if (data.byteLength > MAX_CONTEXT) {
    throw new RefusedError(
      "context_too_large",
      `The context has ${data.byteLength} bytes; the limit is ${MAX_CONTEXT}. Keep what is large in the state.`,
      {
        details: { size: data.byteLength, limit: MAX_CONTEXT },
      },
    );
  }
  return { type, data };
}
