import { InvalidUpdateError, ReducerError, RefusedError } from "../errors.ts";
import type { Environment } from "../pregel/environment.ts";
import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import { jsonBytes } from "./answer-text.ts";
import type { Bytes, EditState } from "./protocol.ts";
import type { ThreadStorage } from "./thread-storage.ts";
import { wireCheckpoint } from "./wire.ts";

/** Edits the state, once: an edit that is repeated finds the checkpoint it has written, whatever came after it. */
export async function editState(
  storage: ThreadStorage,
  environment: Environment,
  graph: RunnableGraph,
  edit: EditState,
): Promise<Bytes> {
  const { saver } = storage;
  const configurable = { thread_id: edit.threadId, checkpoint_ns: "" };
  if (edit.isRepeated === true) {
    const filter = { run_id: edit.editId };
    for await (const written of saver.list({ configurable }, { filter, limit: 1 }))
      return answer(edit, written.config);
  }
  const named = edit.checkpointId === undefined ? {} : { checkpoint_id: edit.checkpointId };
  const address = { configurable: { ...configurable, ...named } };
  const options = { checkpointer: saver, environment, runId: edit.editId };
  return answer(
    edit,
    await graph.updateState(address, edit.values, edit.asNode, options).catch(asRefusedEdit),
  );
}

function answer(edit: EditState, config: Parameters<typeof wireCheckpoint>[1]): Bytes {
  return jsonBytes({ checkpoint: wireCheckpoint(edit.threadId, config) });
}

/** What cannot be applied is the caller's to mend: nothing was changed. */
function asRefusedEdit(error: unknown): never {
  if (error instanceof InvalidUpdateError || error instanceof ReducerError) {
    throw new RefusedError("update_refused", error.message, { details: error.details, cause: error });
  }
  throw error;
}
