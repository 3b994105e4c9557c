import type { SingleReducer } from "./annotation.ts";
import type { ExtractContextType } from "./schema/state-types.ts";

/** What a graph has besides its state. */
export interface StateGraphOptions<I, O, C, N extends string, Asking = unknown, Chunk = unknown> {
  /** What an input may have, where that is not the state. */
  readonly input?: I;
  /** What `invoke` returns, where that is not the state. */
  readonly output?: O;
  /** What the caller's `context` has to be. */
  readonly context?: C;
  /**
   * The names of the nodes, for `typeof builder.Node` and for a graph that is built in several statements: the type of a
   * builder does not grow from one statement to the next. A list of type `string[]` allows any names; `compile` checks
   * them. A chain of calls needs no list.
   */
  readonly nodes?: readonly N[];
  /**
   * What nodes find as `config.interrupt`: `interrupt<Question, Answer>`, or a record of such by name. Says what runs ask,
   * and what answers them.
   */
  readonly interrupt?: Asking;
  /** For types only: `writer<Chunk>`, what nodes may write. */
  readonly writer?: Chunk;
}

/** A graph's definitions in one object. */
export type StateGraphInit<
  SD,
  I,
  O,
  C,
  N extends string,
  Asking = unknown,
  Chunk = unknown,
> = StateGraphOptions<I, O, C, N, Asking, Chunk> & ({ readonly state: SD } | { readonly stateSchema: SD });

/** The older form of a state: for each key a reducer with a default, or null. */
export interface StateGraphArgs<S> {
  readonly channels: { readonly [K in keyof S]: SingleReducer<S[K], S[K]> };
}

/** The same, where what is written is not of the type of the value. */
export interface StateGraphArgsOfAnyUpdate<S> {
  readonly channels: { readonly [K in keyof S]: SingleReducer<S[K], never> };
}

export type ContextOf<C> = C extends undefined ? unknown : ExtractContextType<C>;
