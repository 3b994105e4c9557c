import { CheckpointIds } from "../../src/checkpoint/id.ts";
import type { BaseCheckpointSaver } from "../../src/checkpoint/saver.ts";
import type {
  Checkpoint,
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
} from "../../src/checkpoint/types.ts";

/** A saver to test. Where its calls are passed on from elsewhere, `inPlace` runs work where they are made at once. */
export interface OpenSaver {
  readonly saver: BaseCheckpointSaver;
  readonly inPlace?: <T>(work: (saver: BaseCheckpointSaver) => Promise<T>) => Promise<T>;
}

export type MakeSaver = () => Promise<OpenSaver>;

const ids = new CheckpointIds(Date.now, (length) => crypto.getRandomValues(new Uint8Array(length)));

/** Ids that sort in the order of these calls. */
export function nextId(): string {
  return ids.next(0);
}

export const METADATA: CheckpointMetadata = { source: "loop", step: 0, parents: {} };

/** A checkpoint with these values, each channel at version 1 unless `versions` says otherwise. */
export function checkpointOf(
  values: Readonly<Record<string, unknown>>,
  overrides: Partial<Checkpoint> = {},
): Checkpoint {
  return {
    v: 4,
    id: nextId(),
    ts: "2026-01-02T03:04:05.678Z",
    channel_values: values,
    channel_versions: Object.fromEntries(Object.keys(values).map((channel) => [channel, 1])),
    versions_seen: { node: { start: 1 } },
    ...overrides,
  };
}

export function threadConfig(threadId: string, ns = "", checkpointId?: string): CheckpointConfig {
  const configurable = { thread_id: threadId, checkpoint_ns: ns };
  return {
    configurable:
      checkpointId === undefined ? configurable : { ...configurable, checkpoint_id: checkpointId },
  };
}

export function newThread(): CheckpointConfig {
  return threadConfig(`thread ${crypto.randomUUID()}`);
}

/** Stores all values of a checkpoint as new. */
export function putAll(
  saver: BaseCheckpointSaver,
  parent: CheckpointConfig,
  checkpoint: Checkpoint,
  metadata: CheckpointMetadata = METADATA,
): Promise<CheckpointConfig> {
  return saver.put(parent, checkpoint, metadata, checkpoint.channel_versions);
}

export async function valuesOf(
  saver: BaseCheckpointSaver,
  config: CheckpointConfig,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  return (await saver.get(config))?.channel_values;
}

export async function collect(
  saver: BaseCheckpointSaver,
  config: CheckpointConfig,
  options?: CheckpointListOptions,
): Promise<CheckpointTuple[]> {
  const tuples: CheckpointTuple[] = [];
  for await (const tuple of saver.list(config, options)) tuples.push(tuple);
  return tuples;
}

export async function listIds(
  saver: BaseCheckpointSaver,
  config: CheckpointConfig,
  options?: CheckpointListOptions,
): Promise<string[]> {
  return (await collect(saver, config, options)).map(({ checkpoint }) => checkpoint.id);
}
