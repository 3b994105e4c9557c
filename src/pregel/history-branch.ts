import { compareCheckpointIds } from "../checkpoint/ordering.ts";
import { pastOf, type CheckpointRecord } from "../checkpoint/thread-history.ts";
import type { CheckpointTuple } from "../checkpoint/types.ts";
import type { Unstored } from "./enclosing-task.ts";
import type { Saver } from "./run-context.ts";

/** Which branch of a thread is meant: by a checkpoint of its root graph. */
export interface BranchEnd {
  readonly saver: Saver;
  readonly threadId: string | undefined;
  readonly rootId: string | undefined;
  /** Where a run that goes on has not stored its own checkpoints yet. */
  readonly unstored?: Unstored | undefined;
}

/**
 * Of a namespace that holds the history of many visits the newest checkpoint that belongs to a branch: the thread's other
 * branches have theirs in the same namespace.
 */
export async function newestOnBranch(
  end: BranchEnd,
  namespace: string,
  head: CheckpointTuple,
): Promise<CheckpointTuple | undefined> {
  const branch = new Branch(end);
  if (await branch.holds(head)) return head;
  const thread = end.threadId === undefined ? {} : { thread_id: end.threadId };
  for await (const tuple of end.saver.list({ configurable: { ...thread, checkpoint_ns: namespace } })) {
    if (await branch.holds(tuple)) return tuple;
  }
  return undefined;
}

/** The root checkpoints from the end of the branch back, read as far as needed. */
class Branch {
  readonly #end: BranchEnd;
  readonly #ids = new Set<string>();
  #oldest: string | undefined;

  constructor(end: BranchEnd) {
    this.#end = end;
    this.#oldest = end.unstored === undefined ? end.rootId : end.unstored.since;
    for (const id of end.unstored?.ids ?? [end.rootId]) if (id !== undefined) this.#ids.add(id);
  }

  async holds(tuple: CheckpointTuple): Promise<boolean> {
    const id = tuple.metadata?.parents[""];
    if (id === undefined) return false;
    while (this.#oldest !== undefined && compareCheckpointIds(this.#oldest, id) > 0) {
      await this.#step(this.#oldest);
    }
    return this.#ids.has(id);
  }

  async #step(from: string): Promise<void> {
    const tuple = await this.#read(from);
    const metadata: CheckpointRecord["metadata"] = tuple?.metadata ?? {};
    const parentId = tuple?.parentConfig?.configurable?.checkpoint_id;
    this.#oldest = parentId;
    // Only for a fork does the parent matter.
    const parent =
      metadata.source === "fork" && parentId !== undefined ? await this.#read(parentId) : undefined;
    const step = parent?.metadata && { metadata: parent.metadata };
    for (const id of pastOf({ parentId, metadata }, step)) this.#ids.add(id);
  }

  #read(id: string): Promise<CheckpointTuple | undefined> {
    const { saver, threadId } = this.#end;
    const thread = threadId === undefined ? {} : { thread_id: threadId };
    return saver.getTuple({ configurable: { ...thread, checkpoint_ns: "", checkpoint_id: id } });
  }
}
