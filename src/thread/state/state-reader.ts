import { isObject } from "../../values/containers.ts";
import type { CheckpointConfig, CheckpointTuple } from "../../checkpoint/types.ts";
import { CheckpointNotFoundError } from "../../errors.ts";
import type { Interrupt } from "../../interrupt-error.ts";
import { readHistory, readState } from "../../pregel/read-state.ts";
import { snapshotOf } from "../../pregel/snapshot.ts";
import { shownChannels } from "../../pregel/stream.ts";
import type { PregelGraph, StateSnapshot } from "../../pregel/types.ts";
import { unknownGraph } from "../../pregel/unknown-graph.ts";
import { threadNotFound } from "../errors.ts";
import type { GraphCatalog } from "../graph-catalog.ts";
import { ownInterrupts } from "../attempt/limit-question.ts";
import type { ReadHistory, ReadState } from "./state-protocol.ts";
import type { RunEnd } from "../runs/run-end.ts";
import type { Standing } from "./standing.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import { wireState, type WireState } from "../wire.ts";

/** Reads the states of a thread, also when its graph is not there any more. */
export class StateReader {
  readonly #storage: ThreadStorage;
  readonly #catalog: GraphCatalog;

  constructor(storage: ThreadStorage, catalog: GraphCatalog) {
    this.#storage = storage;
    this.#catalog = catalog;
  }

  async state({ threadId, checkpointId, namespace, subgraphs, select }: ReadState): Promise<unknown> {
    this.#requireThread(threadId);
    // Which graph it is, the outermost one says.
    const tuple = await this.#tuple(threadId, namespace === undefined ? checkpointId : undefined);
    if (tuple === undefined && checkpointId !== undefined) throw new CheckpointNotFoundError(checkpointId);
    if (tuple === undefined) {
      return selected(wireState(threadId, { values: {}, next: [], tasks: [], config: {} }), select);
    }
    const address = addressOf(threadId, checkpointId, namespace);
    const snapshot =
      subgraphs || namespace !== undefined
        ? await readState(this.#graph(tuple), this.#storage.saver, address, { subgraphs })
        : this.#snapshot(tuple, checkpointId === undefined);
    const own = namespace === undefined ? await this.#ownInterrupts(threadId, tuple) : [];
    return selected(wireState(threadId, snapshot, own), select);
  }

  /** The newest state, undefined when there is none yet. Where `keys` are given, nobody looks at the values of others. */
  async head(threadId: string, keys?: readonly string[]): Promise<StateSnapshot | undefined> {
    const graph = keys && this.#known();
    const shown = graph && shownChannels(graph);
    const tuple = await this.#tuple(threadId, undefined, typeof shown === "string" ? shown : shown && keys);
    return tuple && this.#snapshot(tuple, true);
  }

  /** What is open, and at which checkpoint. */
  async standing(threadId: string): Promise<Standing & { readonly checkpointId: string | undefined }> {
    const head = await this.head(threadId, []);
    const tasks = head?.tasks ?? [];
    return {
      checkpointId: head?.config.configurable?.checkpoint_id,
      interrupts: [...tasks.flatMap(({ interrupts }) => interrupts), ...(await this.own(threadId))],
      waiting: tasks.flatMap(({ waiting = [] }) => waiting),
    };
  }

  /** What is asked by no task. */
  own(threadId: string): Promise<readonly Interrupt[]> {
    return ownInterrupts(this.#storage, threadId);
  }

  async #ownInterrupts(threadId: string, { checkpoint }: CheckpointTuple): Promise<readonly Interrupt[]> {
    return checkpoint.id === this.#storage.saver.head(threadId)?.id ? this.own(threadId) : [];
  }

  /** Newest first. */
  async *history(read: ReadHistory): AsyncGenerator<unknown, void, undefined> {
    const { threadId, limit, before, checkpointId, namespace, metadata, select } = read;
    this.#requireThread(threadId);
    if (before !== undefined && !this.#storage.saver.has(addressOf(threadId, before, namespace)))
      throw new CheckpointNotFoundError(before);
    const head = await this.#tuple(threadId, undefined);
    if (head === undefined) return;
    const states = readHistory(
      this.#graph(head),
      this.#storage.saver,
      addressOf(threadId, checkpointId, namespace),
      {
        limit,
        ...(before !== undefined && { before: { configurable: { checkpoint_id: before } } }),
        ...(metadata !== undefined && { filter: metadata }),
      },
    );
    const newest = this.#storage.saver.head(threadId)?.id;
    for await (const snapshot of states) {
      const isNewest = namespace === undefined && snapshot.config.configurable?.checkpoint_id === newest;
      yield selected(wireState(threadId, snapshot, isNewest ? await this.own(threadId) : []), select);
    }
  }

  /** What a run has come to, at its checkpoint: the graph's output keys, or its whole state. These stay as they are. */
  async values(threadId: string, { checkpointId }: RunEnd, scope: "output" | "state"): Promise<unknown> {
    if (checkpointId === undefined) return {};
    const tuple = await this.#tuple(
      threadId,
      checkpointId,
      scope === "output" ? this.#known()?.outputChannels : undefined,
    );
    if (tuple === undefined) throw new CheckpointNotFoundError(checkpointId);
    const { values } = this.#snapshot(tuple, false);
    return scope === "state" ? values : outputOf(this.#graph(tuple), values);
  }

  #snapshot(tuple: CheckpointTuple, isHead: boolean): StateSnapshot {
    return snapshotOf(this.#graph(tuple), tuple, { isHead });
  }

  #graph(tuple: CheckpointTuple): PregelGraph {
    return this.#known() ?? unknownGraph(this.#graphName(), tuple.checkpoint);
  }

  #known(): PregelGraph | undefined {
    return this.#catalog.find(this.#graphName())?.graph;
  }

  #graphName(): string {
    return this.#storage.thread()?.graph ?? "";
  }

  #tuple(
    threadId: string,
    checkpointId: string | undefined,
    channels?: string | readonly string[],
  ): Promise<CheckpointTuple | undefined> {
    const { saver } = this.#storage;
    const address = addressOf(threadId, checkpointId);
    if (channels === undefined) return saver.getTuple(address);
    return saver.outline(address, new Set(typeof channels === "string" ? [channels] : channels));
  }

  #requireThread(threadId: string): void {
    if (this.#storage.thread() === undefined) throw threadNotFound(threadId);
  }
}

function addressOf(threadId: string, checkpointId?: string, namespace = ""): CheckpointConfig {
  const named = checkpointId === undefined ? {} : { checkpoint_id: checkpointId };
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, ...named } };
}

/** The parts of a state that are asked for, all of them unless said otherwise. */
function selected(state: WireState, select: readonly string[] | undefined): unknown {
  if (select === undefined) return state;
  const parts = Object.fromEntries(Object.entries(state).filter(([part]) => select.includes(part)));
  const keys = select.flatMap((part) => (part.startsWith("values.") ? [part.slice("values.".length)] : []));
  const { values } = state;
  if ("values" in parts || keys.length === 0 || !isObject(values)) return parts;
  const members = Object.entries(values).filter(([key]) => keys.includes(key));
  return { ...parts, values: Object.fromEntries(members) };
}

function outputOf(graph: PregelGraph, values: StateSnapshot["values"]): unknown {
  const { outputChannels } = graph;
  if (typeof outputChannels === "string")
    return shownChannels(graph) === outputChannels ? values : values[outputChannels];
  return Object.fromEntries(Object.entries(values).filter(([key]) => outputChannels.includes(key)));
}
