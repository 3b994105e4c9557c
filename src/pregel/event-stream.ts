import { isRecord } from "../values/containers.ts";
import { stringifyEvent } from "../json.ts";
import type { StreamEvent } from "./types.ts";

/**
 * The chunks of a run as server-sent events: each is named by its mode, and by the namespace of the graph it is from, where
 * that is wanted. A run that fails ends with an event `error`.
 */
export async function* eventTexts(
  events: AsyncIterable<StreamEvent>,
  options: { readonly namespaces: boolean },
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  try {
    for await (const event of events) yield encoder.encode(eventText(event, options.namespaces));
  } catch (error) {
    yield encoder.encode(stringifyEvent("error", errorData(error)));
  }
}

function eventText({ mode, payload, namespace = [] }: StreamEvent, namespaces: boolean): string {
  const event = namespaces && namespace.length > 0 ? [mode, ...namespace].join("|") : mode;
  return stringifyEvent(event, wireForm(mode, payload));
}

function errorData(error: unknown): { readonly error: string; readonly message: string } {
  return error instanceof Error
    ? { error: error.name, message: error.message }
    : { error: "Error", message: JSON.stringify(error) ?? String(error) };
}

function wireForm(mode: StreamEvent["mode"], payload: unknown): unknown {
  if (mode === "checkpoints") return wireCheckpoint(payload);
  if (mode === "debug" && isRecord(payload) && payload["type"] === "checkpoint")
    return { ...payload, payload: wireCheckpoint(payload["payload"]) };
  return payload;
}

/** Where a checkpoint is, is said beside its config, as clients of LangGraph read it. */
function wireCheckpoint(checkpoint: unknown): unknown {
  if (!isRecord(checkpoint)) return checkpoint;
  const { parentConfig, ...rest } = checkpoint;
  const tasks: unknown = rest["tasks"];
  return {
    ...rest,
    checkpoint: addressOf(rest["config"]),
    parent_checkpoint: addressOf(parentConfig),
    ...(parentConfig === undefined ? {} : { parent_config: parentConfig }),
    tasks: Array.isArray(tasks) ? tasks.map(wireTask) : tasks,
  };
}

function wireTask(task: unknown): unknown {
  const checkpoint = isRecord(task) ? addressOf(task["state"]) : null;
  if (!isRecord(task) || checkpoint === null) return task;
  const { state: _, ...rest } = task;
  return { ...rest, checkpoint };
}

function addressOf(config: unknown): object | null {
  const configurable = isRecord(config) ? config["configurable"] : undefined;
  if (!isRecord(configurable) || !configurable["thread_id"]) return null;
  const { thread_id, checkpoint_ns = "", checkpoint_id = null, checkpoint_map = null } = configurable;
  return { thread_id, checkpoint_ns, checkpoint_id, checkpoint_map };
}
