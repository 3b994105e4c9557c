import type { RunnableConfig } from "./types.ts";

type OwnMetadata = Readonly<Record<string, string | number | boolean>>;

/** What the engine says of a checkpoint, and of where a task is. */
const OF_ENGINE = /^(source|step|parents|parent_task|run_id|thread_id|checkpoint_.*|langgraph_.*)$/;

/**
 * What checkpoints keep of the caller's metadata, so that a history can be filtered by it: texts, numbers and truth
 * values. The rest, which may be anything, is for nodes.
 */
function ownMetadata({ metadata }: RunnableConfig): OwnMetadata | undefined {
  if (metadata === undefined) return undefined;
  const kept = Object.entries(metadata).filter(
    (entry): entry is [string, string | number | boolean] => isScalar(entry[1]) && !OF_ENGINE.test(entry[0]),
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** What all checkpoints of a run say alike. */
export interface RunMetadata {
  readonly parents: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** The caller's metadata, where the checkpoints belong, and in which run they come to be. */
export function metadataOfRun(config: RunnableConfig, origin: RunMetadata): RunMetadata {
  const { runId } = config;
  return { ...ownMetadata(config), ...origin, ...(runId === undefined ? {} : { run_id: runId }) };
}
