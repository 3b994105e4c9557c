import type { CheckpointConfig, CheckpointTuple } from "../checkpoint/types.ts";
import { CheckpointNotFoundError } from "../errors.ts";
import { readState } from "../pregel/read-state.ts";
import { snapshotOf } from "../pregel/snapshot.ts";
import { shownChannels } from "../pregel/stream.ts";
import type { PregelGraph, StateSnapshot } from "../pregel/types.ts";
import { unknownGraph } from "../pregel/unknown-graph.ts";
import { threadNotFound } from "./errors.ts";
import type { GraphCatalog } from "./graph-catalog.ts";
import type { ReadHistory, ReadState, ThreadAddress } from "./protocol.ts";
import type { RunEnd } from "./run-end.ts";
import type { ThreadStorage } from "./thread-storage.ts";
import { wireState } from "./wire.ts";

/** Reads the states of a thread, also when its graph is not there any more. */
export class StateReader {
  readonly #storage: ThreadStorage;
  readonly #catalog: GraphCatalog;

  constructor(storage: ThreadStorage, catalog: GraphCatalog) {
    this.#storage = storage;
    this.#catalog = catalog;
  }

  async state({ threadId, checkpointId, subgraphs }: ReadState): Promise<unknown> {
    this.#requireThread(threadId);
    const tuple = await this.#tuple(threadId, checkpointId);
    if (tuple === undefined && checkpointId !== undefined) throw new CheckpointNotFoundError(checkpointId);
    if (tuple === undefined) return wireState(threadId, { values: {}, next: [], tasks: [], config: {} });
    const snapshot = subgraphs
      ? await readState(this.#graph(tuple), this.#storage.saver, addressOf(threadId, checkpointId), {
          subgraphs,
        })
      : this.#snapshot(tuple, checkpointId === undefined);
    return wireState(threadId, snapshot);
  }

  /** The newest state, undefined when there is none yet. */
  async head(threadId: string): Promise<StateSnapshot | undefined> {
    const tuple = await this.#tuple(threadId, undefined);
    return tuple && this.#snapshot(tuple, true);
  }

  /** The ids of the questions that wait for an answer. */
  async openQuestions({ threadId }: ThreadAddress): Promise<ReadonlySet<string>> {
    const tasks = (await this.head(threadId))?.tasks ?? [];
    return new Set(tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id)));
  }

  /** Newest first. */
  async *history({ threadId, limit, before }: ReadHistory): AsyncGenerator<unknown, void, undefined> {
    this.#requireThread(threadId);
    if (before !== undefined && !this.#storage.saver.has(addressOf(threadId, before)))
      throw new CheckpointNotFoundError(before);
    const listed = this.#storage.saver.list(
      { configurable: { thread_id: threadId, checkpoint_ns: "" } },
      { limit, ...(before === undefined ? {} : { before: { configurable: { checkpoint_id: before } } }) },
    );
    for await (const tuple of listed) yield wireState(threadId, this.#snapshot(tuple, false));
  }

  /** The output of a run: the graph's output keys at its checkpoint, which stay as they are. */
  async values(threadId: string, { checkpointId }: RunEnd): Promise<unknown> {
    if (checkpointId === undefined) return {};
    const tuple = await this.#tuple(threadId, checkpointId);
    if (tuple === undefined) throw new CheckpointNotFoundError(checkpointId);
    return outputOf(this.#graph(tuple), this.#snapshot(tuple, false).values);
  }

  #snapshot(tuple: CheckpointTuple, isHead: boolean): StateSnapshot {
    return snapshotOf(this.#graph(tuple), tuple, { isHead });
  }

  #graph(tuple: CheckpointTuple): PregelGraph {
    const name = this.#storage.thread()?.graph ?? "";
    return this.#catalog.find(name)?.graph ?? unknownGraph(name, tuple.checkpoint);
  }

  #tuple(threadId: string, checkpointId: string | undefined): Promise<CheckpointTuple | undefined> {
    return this.#storage.saver.getTuple(addressOf(threadId, checkpointId));
  }

  #requireThread(threadId: string): void {
    if (this.#storage.thread() === undefined) throw threadNotFound(threadId);
  }
}

function addressOf(threadId: string, checkpointId: string | undefined): CheckpointConfig {
  const named = checkpointId === undefined ? {} : { checkpoint_id: checkpointId };
  return { configurable: { thread_id: threadId, checkpoint_ns: "", ...named } };
}

function outputOf(graph: PregelGraph, values: StateSnapshot["values"]): unknown {
  const { outputChannels } = graph;
  if (typeof outputChannels === "string")
    return shownChannels(graph) === outputChannels ? values : values[outputChannels];
  return Object.fromEntries(Object.entries(values).filter(([key]) => outputChannels.includes(key)));
}
