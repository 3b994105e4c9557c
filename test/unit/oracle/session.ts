import { CheckpointIds } from "../../../src/checkpoint/id.ts";
import { timerSleep } from "../../../src/pregel/timer-sleep.ts";
import type { CompiledStateGraph } from "tidemark";
import type {
  Compiled,
  CompileOptions,
  Config,
  HistoryOptions,
  Library,
  Saver,
  SavedTuple,
  Snapshot,
  SnapshotTask,
} from "./engine.ts";
import { ours, theirs } from "./engine.ts";
import { holdsCommand, inOrder, show, showCheckpoint, showChunks, showError, showSnapshot } from "./show.ts";

/** Makes the graph anew; counters of what its nodes did live outside, in `Session.counters`. */
export type Build = (
  library: Library,
  counters: Counters,
  saver: Saver,
) => { compile(options: CompileOptions): Compiled };

export interface CallOptions {
  readonly at?: string;
  readonly limit?: number;
  readonly namespace?: string;
  readonly subgraphs?: boolean;
  /** Options of the call that both engines have. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export class Counters {
  readonly counts = new Map<string, number>();

  readonly #seen = new Map<string, number>();

  /** Whether it came to so many calls before. Not compared: LangGraph runs tasks again that still wait for an answer. */
  hasReached(what: string, calls: number): boolean {
    const before = this.#seen.get(what) ?? 0;
    this.#seen.set(what, before + 1);
    return before >= calls;
  }

  /** Counts, and says how often before. */
  count(what: string): number {
    const before = this.counts.get(what) ?? 0;
    this.counts.set(what, before + 1);
    return before;
  }
}

/**
 * One thread of one of the two engines. What is done with it and what it then shows is recorded; two sessions agree
 * when their records are equal.
 */
export class Session {
  readonly record: unknown[] = [];
  readonly counters = new Counters();
  readonly saver: Saver;
  readonly library: Library;
  readonly #graph: Compiled;

  constructor(
    library: Library,
    build: Build,
    saver: Saver,
    adapt: (graph: Compiled) => Compiled = (graph) => graph,
    options: CompileOptions = {},
  ) {
    this.library = library;
    this.saver = saver;
    this.#graph = adapt(build(library, this.counters, saver).compile({ ...options, checkpointer: saver }));
  }

  get config(): Config {
    return { configurable: { thread_id: "t" } };
  }

  /** Invokes, at the newest checkpoint or a named one, and records the result and the state after it. */
  async invoke(input: unknown, options: CallOptions = {}): Promise<void> {
    await this.#note("invoke", () => this.#graph.invoke(input, this.#options(options)));
    await this.state();
  }

  async stream(input: unknown, streamMode: string | string[], options: CallOptions = {}): Promise<void> {
    const chunks: unknown[] = [];
    const ended = await this.#note("stream", async () => {
      const stream = await this.#graph.stream(input, {
        ...this.#options(options),
        streamMode,
        subgraphs: options.subgraphs,
      });
      for await (const chunk of stream) chunks.push(chunk);
    });
    // LangGraph may drop the last chunks of a stream that ends with an error.
    if (ended) this.record.push({ streamMode, chunks: showChunks(chunks) });
    await this.state();
  }

  /** Does something without a record of it. */
  async quietly(act: () => Promise<void>): Promise<void> {
    const { length } = this.record;
    await act();
    this.record.length = length;
  }

  /** Answers the open questions: by their order, each with its answer; those with `undefined` stay open. */
  async answer(answers: readonly unknown[], options: { limit?: number } = {}): Promise<void> {
    const questions = await this.questions();
    const resume: Record<string, unknown> = {};
    answers.forEach((answer, index) => {
      const id = questions[index]?.id;
      if (answer !== undefined && id !== undefined) resume[id] = answer;
    });
    await this.invoke(this.command({ resume }), options);
  }

  /** The open questions, in the order of their tasks. */
  async questions(): Promise<SnapshotTask["interrupts"]> {
    const { tasks } = await this.#graph.getState(this.config);
    return inOrder(tasks)
      .filter((task) => task.result === undefined)
      .flatMap((task) => task.interrupts);
  }

  /** Whether tasks of the superstep that is under way have finished. */
  async hasFinishedTasks(): Promise<boolean> {
    const { tasks } = await this.#graph.getState(this.config);
    return tasks.some(({ result }) => result !== undefined);
  }

  command(params: Record<string, unknown>): object {
    return new this.library.Command(params);
  }

  async update(
    values: unknown,
    asNode?: string,
    options: { at?: string; namespace?: string } = {},
  ): Promise<void> {
    await this.#note("update", async () => {
      await this.#graph.updateState(this.#options(options), values, asNode);
      return undefined;
    });
    await this.state();
  }

  async bulkUpdate(
    steps: readonly { updates: readonly { values: unknown; asNode?: string }[] }[],
    options: { at?: string } = {},
  ): Promise<void> {
    await this.#note("bulk update", async () => {
      await this.#graph.bulkUpdateState(this.#options(options), steps);
      return undefined;
    });
    await this.state();
  }

  async state(): Promise<void> {
    await this.#note("state", async () => showSnapshot(await this.#graph.getState(this.config)));
  }

  /** Records the state with those of the graphs inside its tasks, and each of them read by itself. */
  async nestedStates(options: { at?: string } = {}): Promise<void> {
    const states = await this.nested(options);
    await this.#note("nested", async () =>
      showSnapshot(await this.#graph.getState(this.#options(options), { subgraphs: true })),
    );
    for (const state of states)
      await this.#note("by itself", async () => showSnapshot(await this.#graph.getState(state.config)));
  }

  /** The states of the graphs inside tasks, outermost first. */
  async nested(options: { at?: string } = {}): Promise<Snapshot[]> {
    const inside = (snapshot: Snapshot): Snapshot[] =>
      inOrder(snapshot.tasks).flatMap(({ state }) =>
        state !== undefined && "tasks" in state ? [state as Snapshot, ...inside(state as Snapshot)] : [],
      );
    return inside(await this.#graph.getState(this.#options(options), { subgraphs: true }));
  }

  /** The checkpoints of a namespace, newest first. */
  async historyOf(namespace: string): Promise<Snapshot[]> {
    const found: Snapshot[] = [];
    const config = { configurable: { thread_id: "t", checkpoint_ns: namespace } };
    for await (const snapshot of this.#graph.getStateHistory(config)) found.push(snapshot);
    this.record.push({ [namespace]: found.map(showSnapshot) });
    return found;
  }

  /** Records where the checkpoints are that the options ask for. */
  async historyWith(options: HistoryOptions): Promise<void> {
    await this.#note("history", async () => {
      const found: unknown[] = [];
      for await (const snapshot of this.#graph.getStateHistory(this.config, options))
        found.push([idOf(snapshot), snapshot.metadata?.source, snapshot.metadata?.step]);
      return found;
    });
  }

  /** All checkpoints of the thread, newest first. */
  async history(): Promise<Snapshot[]> {
    const found: Snapshot[] = [];
    for await (const snapshot of this.#graph.getStateHistory(this.config)) found.push(snapshot);
    return found;
  }

  async saved(): Promise<SavedTuple[]> {
    const found: SavedTuple[] = [];
    for await (const tuple of this.saver.list(this.config)) found.push(tuple);
    return found;
  }

  async #note(what: string, call: () => Promise<unknown>): Promise<boolean> {
    try {
      this.record.push({ [what]: show(await call()) });
      return true;
    } catch (error) {
      this.record.push({ [what]: showError(error) });
      return false;
    }
  }

  #options(options: CallOptions): Config {
    return {
      ...options.more,
      // LangGraph knows no other way.
      onInterrupted: "discard",
      configurable: {
        thread_id: "t",
        checkpoint_ns: options.namespace ?? "",
        ...(options.at === undefined ? {} : { checkpoint_id: options.at }),
      },
      ...(options.limit === undefined ? {} : { recursionLimit: options.limit }),
    };
  }

  /** What is left when a script has ended: the history (without the hidden checkpoints), the saved checkpoints, and what the nodes did. */
  async close(hidden: ReadonlySet<string>): Promise<unknown> {
    const history = (await this.history()).filter((snapshot) => !hidden.has(idOf(snapshot)));
    return {
      history: history.map(showSnapshot),
      // LangGraph's saver lists one namespace after the other.
      saved: (await this.saved()).toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)).map(showCheckpoint),
      counts: [...this.counters.counts].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    };
  }
}

function placeOf({ config, checkpoint }: SavedTuple): string {
  return `${String(config.configurable?.["checkpoint_ns"])} ${checkpoint.id}`;
}

export function idOf(snapshot: Snapshot): string {
  return String(snapshot.config.configurable?.["checkpoint_id"]);
}

export type Script = (session: Session) => Promise<void>;

export interface Comparison {
  readonly ours: unknown;
  readonly theirs: unknown;
}

/**
 * Runs a script on both engines. Ours is given the checkpoint ids that LangGraph has made, so that all ids of
 * checkpoints and tasks have to be equal too.
 */
export async function compare(
  build: Build,
  script: Script,
  options: CompileOptions = {},
): Promise<Comparison> {
  const ids: string[] = [];
  const their = new Session(theirs, build, recordingIds(new theirs.MemorySaver(), ids), undefined, options);
  await script(their);
  const hidden = new Set((await their.saved()).filter(holdsCommand).map((tuple) => tuple.checkpoint.id));
  const theirRecord = { steps: their.record, end: await their.close(hidden) };
  const our = new Session(ours, build, new ours.MemorySaver(), (graph) => withIds(graph, ids), options);
  await script(our);
  return { ours: { steps: our.record, end: await our.close(hidden) }, theirs: theirRecord };
}

function recordingIds(saver: Saver, ids: string[]): Saver {
  const put = saver.put.bind(saver);
  saver.put = (config, checkpoint, ...rest) => {
    ids.push(checkpoint.id);
    return put(config, checkpoint, ...rest);
  };
  return saver;
}

/** The ids of another run first, then ids that sort after them. */
class ReplayedIds extends CheckpointIds {
  readonly #ids: string[];

  constructor(ids: readonly string[]) {
    super(
      () => Date.now(),
      (length) => new Uint8Array(length),
    );
    this.#ids = [...ids];
  }

  override next(step: number): string {
    return this.#ids.shift() ?? super.next(step);
  }
}

function withIds(graph: Compiled, ids: readonly string[]): Compiled {
  const compiled = graph as unknown as CompiledStateGraph<Record<string, unknown>, unknown>;
  const environment = {
    now: () => Date.now(),
    checkpointIds: new ReplayedIds(ids),
    yieldTurn: () => Promise.resolve(),
    sleep: timerSleep,
    random: () => 0,
  };
  return compiled.withOptions({ environment }) as unknown as Compiled;
}
