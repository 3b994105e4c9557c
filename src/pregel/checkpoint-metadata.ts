import type { CheckpointMetadata } from "../checkpoint/types.ts";
import type { RunnableConfig } from "./types.ts";

type OwnMetadata = Readonly<Record<string, string | number | boolean>>;

/** What the engine says of a checkpoint, and of where a task is. */
const OF_ENGINE = /^(source|step|parents|parent_task|run_id|thread_id|checkpoint_.*|langgraph_.*)$/;

/**
 * What checkpoints keep of the caller's metadata, so that a history can be filtered by it: texts, numbers and truth
 * values. The rest, which may be anything, is for nodes.
 */
export function ownMetadata({ metadata }: RunnableConfig): OwnMetadata | undefined {
  if (metadata === undefined) return undefined;
  const kept = Object.entries(metadata).filter(
    (entry): entry is [string, string | number | boolean] => isScalar(entry[1]) && !OF_ENGINE.test(entry[0]),
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** What a checkpoint says of itself: the caller's metadata, how it came to be, and in which run. */
export function checkpointMetadata(
  { runId }: RunnableConfig,
  own: OwnMetadata | undefined,
  origin: CheckpointMetadata,
): CheckpointMetadata {
  return { ...own, ...origin, ...(runId === undefined ? {} : { run_id: runId }) };
}
