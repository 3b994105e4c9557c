import { RefusedError } from "../../errors.ts";
import type { StagedRecord } from "../../storage/record-store.ts";
import type { StartRun } from "./run-protocol.ts";
import type { RequestedConfig, RunRequest } from "./run-request.ts";
import type { NewRun, RunRow } from "./run-row.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** In bytes. It stays in the run's row, which is how it can be erased: it is never put into the bucket. */
const MAX_CONTEXT = 256 * 1024;

/** What is handed to the nodes and may be secret. */
interface ErasedPart {
  readonly context?: unknown;
  readonly configurable?: RequestedConfig["configurable"];
}

/** A run that is ready to be put into the queue. */
export interface StagedRun {
  readonly record: StagedRecord;
  readonly run: Pick<NewRun, "id" | "request" | "context">;
}

export async function stageRun(
  storage: ThreadStorage,
  { runId, threadId, request }: StartRun,
): Promise<StagedRun> {
  const { context, config, multitask: _multitask, delay: _delay, timeLimit: _limit, ...rest } = request;
  const { threadMetadata: _metadata, ...others } = rest;
  const { configurable, ...keptConfig } = config;
  const kept = { ...others, config: keptConfig };
  const erased: ErasedPart = {
    ...(context === undefined ? {} : { context }),
    ...(configurable === undefined ? {} : { configurable }),
  };
  const contextRow = Object.keys(erased).length === 0 ? undefined : await encodeContext(storage, erased);
  const record = await storage.records.stage(threadId, "input", kept);
  return { record, run: { id: runId, request: record.body, context: contextRow } };
}

/** The request of a run that has not ended, as it was staged. */
export async function unstageRun(
  storage: ThreadStorage,
  threadId: string,
  { request, context }: RunRow,
): Promise<RunRequest> {
  // What a router sent and this object stored, in the shape that it was parsed into.
  const kept = (await storage.records.read(threadId, request)) as RunRequest;
  if (context === undefined) return kept;
  const erased = (await storage.serde.loadsTyped(context.type, context.data)) as ErasedPart;
  const { configurable, ...others } = erased;
  return { ...kept, ...others, config: { ...kept.config, ...(configurable && { configurable }) } };
}

async function encodeContext(storage: ThreadStorage, context: ErasedPart): Promise<NewRun["context"]> {
  const [type, data] = await storage.serde.dumpsTyped(context);
  if (data.byteLength > MAX_CONTEXT) {
    throw new RefusedError(
      "context_too_large",
      `The context and config.configurable have ${data.byteLength} bytes; the limit is ${MAX_CONTEXT}. Keep what is large in the state.`,
      {
        details: { size: data.byteLength, limit: MAX_CONTEXT },
      },
    );
  }
  return { type, data };
}
