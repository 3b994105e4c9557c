import type { Environment } from "../../pregel/environment.ts";
import type { RunnableGraph } from "../../pregel/runnable-graph.ts";
import type { StateUpdate } from "../../pregel/update-state.ts";
import { commandOf } from "../runs/command-of.ts";
import { asRefusedEdit } from "../state/edit-state.ts";
import type { RequestedStep, RequestedUpdate } from "../life-cycle/life-cycle-protocol.ts";
import type { NewThread } from "../thread-rows.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/**
 * Makes a thread in which so much is said to have happened, each step a checkpoint. Its row carries the mark of a deletion
 * until everything is there, as that of an import does.
 */
export async function makeThread(
  storage: ThreadStorage,
  environment: Environment,
  graph: RunnableGraph,
  row: NewThread,
  steps: readonly RequestedStep[],
): Promise<void> {
  storage.transaction(() => {
    storage.create(row);
    storage.row.markDeleting();
  });
  const supersteps = steps.map(({ updates }) => ({ updates: updates.map(stateUpdate) }));
  const options = { checkpointer: storage.saver, environment };
  await graph.bulkUpdateState(configOf(row), supersteps, options).catch(asRefusedEdit);
  storage.transaction(() => storage.tables.update("thread", "deleting", 0));
}

function stateUpdate({ values, command, asNode }: RequestedUpdate): StateUpdate {
  const written = command === undefined ? values : commandOf(command);
  return { values: written, ...(asNode !== undefined && { asNode }) };
}

function configOf({ thread_id }: NewThread): { readonly configurable: { readonly thread_id: string } } {
  return { configurable: { thread_id } };
}
