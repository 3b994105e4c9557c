import { EmptyChannelError } from "../graph-errors.ts";

/** What `checkpoint()` returns for a channel that has nothing to save. Never stored. */
export const EMPTY: unique symbol = Symbol.for("tidemark.channel.empty");

/**
 * What the engine does to a value before a channel keeps it: it returns an equal value that nobody else can change.
 * Primitives and values that went through it before come back as they are. With the value in whose place it comes, what
 * both have costs next to nothing.
 */
export type Adopt = <T>(value: T, before?: unknown) => T;

/** For a channel that is used without an engine: what was written is what is kept. */
export const keep: Adopt = (value) => value;

/**
 * A named value with an update rule. The engine owns the instances of a run and calls them in the order of a superstep:
 * `consume` on the triggers of the tasks that ran, `update` with the writes of all tasks, in the order of task paths,
 * and `finish` when nothing is left to trigger.
 *
 * An implementation keeps no reference to what it was given beyond the values themselves, never changes a value in
 * place, neither what it was given nor what it returned, and throws `InvalidUpdateError` before it changes anything.
 * `undefined` and `null` are values like any other; only `EMPTY` means that there is none.
 */
export abstract class BaseChannel<Value = unknown, Update = unknown, Saved = unknown> {
  /** LangGraph's name for the kind of channel. */
  abstract readonly lc_graph_name: string;
  readonly lg_is_channel = true;

  /**
   * A new channel of the same definition: with the saved content, or, for `EMPTY` or without an argument, with its
   * default content. All that it keeps, the default too, goes through `adopt`.
   */
  fromCheckpoint(
    ...content: [] | [saved: Saved | typeof EMPTY, adopt?: Adopt]
  ): BaseChannel<Value, Update, Saved> {
    return content.length === 0 ? this.restore(EMPTY, keep) : this.restore(content[0], content[1] ?? keep);
  }

  /** Does the work of `fromCheckpoint`, which tells an absent argument from a saved `undefined`. */
  protected abstract restore(saved: Saved | typeof EMPTY, adopt: Adopt): BaseChannel<Value, Update, Saved>;

  /** What to save, or `EMPTY`. */
  abstract checkpoint(): Saved | typeof EMPTY;

  /**
   * Applies the writes of one superstep; `[]` when there were none. `adopt` is applied to every value before it is
   * kept: what a reducer gets as its left side is adopted, or what it has returned itself in this superstep. True when the channel changed.
   */
  abstract update(values: readonly Update[], adopt?: Adopt): boolean;

  /** The value; throws `EmptyChannelError` when there is none. */
  abstract get(): Value;

  abstract isAvailable(): boolean;

  /**
   * True when `update([])` changes an available channel: it lives for one superstep only. The engine leaves the other
   * channels alone, so that idle ones cost nothing.
   */
  readonly isTransient: boolean = true;

  /** A task that this channel triggered has run. True when the channel changed. */
  consume(): boolean {
    return false;
  }

  /** Nothing else is left to run. True when the channel changed. */
  finish(): boolean {
    return false;
  }

  /** Whether two schemas that name the same key mean the same channel. */
  equals(other: BaseChannel): boolean {
    return this === other;
  }

  protected empty(): never {
    throw new EmptyChannelError(`The ${this.lc_graph_name} channel has no value.`);
  }
}
