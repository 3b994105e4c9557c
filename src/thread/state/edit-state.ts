import { RefusedError } from "../../errors.ts";
import { InvalidUpdateError, ReducerError } from "../../graph-errors.ts";
import { hashedKey } from "../idempotency/content-hashes.ts";
import type { Environment } from "../../pregel/environment.ts";
import type { RunnableGraph } from "../../pregel/runnable-graph.ts";
import { jsonBytes } from "../answer-text.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { SqliteSaver } from "../../storage/sqlite-saver.ts";
import { graphMismatch } from "../errors.ts";
import { boundMetadata } from "../thread-metadata.ts";
import { requireHead } from "./require-head.ts";
import type { Bytes } from "../call.ts";
import type { EditState } from "./state-protocol.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import { wireCheckpoint } from "../wire.ts";

/** As `editState`; a key that came before stands for the edit that it came with. */
export async function editOnce(
  storage: ThreadStorage,
  environment: Environment,
  graph: RunnableGraph,
  edit: EditState,
  { reached }: Pick<ThreadPlatform, "reached">,
): Promise<Bytes> {
  const idempotency = await hashedKey(storage.serde, edit.idempotency);
  if (idempotency === undefined) return editState(storage, environment, graph, edit);
  const now = environment.now();
  const known = storage.keys.find(idempotency, now);
  if (known !== undefined) {
    return editState(storage, environment, graph, { ...edit, editId: known, isRepeated: true });
  }
  storage.transaction(() => storage.keys.insert(idempotency, edit.editId, now));
  reached("edit.key_stored");
  try {
    return await editState(storage, environment, graph, edit);
  } catch (error) {
    if (error instanceof RefusedError) storage.transaction(() => storage.keys.removeOf(edit.editId, now));
    throw error;
  }
}

/** Edits the state, once: an edit that is repeated finds the checkpoint it has written, whatever came after it. */
async function editState(
  storage: ThreadStorage,
  environment: Environment,
  graph: RunnableGraph,
  edit: EditState,
): Promise<Bytes> {
  const saver = bindingSaver(storage);
  const configurable = { thread_id: edit.threadId, checkpoint_ns: edit.namespace ?? "" };
  if (edit.isRepeated === true) {
    const filter = { run_id: edit.editId };
    for await (const written of saver.list({ configurable }, { filter, limit: 1 }))
      return answer(edit, written.config);
  }
  requireHead(storage, edit.threadId, edit.ifMatch);
  const named = edit.checkpointId === undefined ? {} : { checkpoint_id: edit.checkpointId };
  const address = { configurable: { ...configurable, ...named } };
  const options = { checkpointer: saver, environment, runId: edit.editId };
  return answer(
    edit,
    await graph.updateState(address, edit.values, edit.asNode, options).catch(asRefusedEdit),
  );
}

/** The first checkpoint of a thread that has run nothing binds it to the graph that its metadata names. */
function bindingSaver(storage: ThreadStorage): SqliteSaver {
  const thread = storage.thread();
  const { graph_id: graph } = thread?.metadata ?? {};
  if (thread?.graph !== "" || typeof graph !== "string") return storage.saver;
  const bind = (): void => {
    const { graph: bound = "", metadata = {} } = storage.thread() ?? {};
    if (bound === "") storage.row.bind(graph, boundMetadata(metadata, graph));
    // A run that has come meanwhile may be of another one.
    else if (bound !== graph) throw graphMismatch(bound, graph);
  };
  return storage.saver.bind({ alongside: () => bind });
}

function answer(edit: EditState, config: Parameters<typeof wireCheckpoint>[1]): Bytes {
  return jsonBytes({ checkpoint: wireCheckpoint(edit.threadId, config) });
}

/** What cannot be applied is the caller's to mend: nothing was changed. */
export function asRefusedEdit(error: unknown): never {
  if (error instanceof InvalidUpdateError || error instanceof ReducerError) {
    throw new RefusedError("update_refused", error.message, { details: error.details, cause: error });
  }
  throw error;
}
