import type { BaseChannel } from "../channels/base.ts";
import { BinaryOperatorAggregate } from "../channels/binary-operator-aggregate.ts";
import { LastValue } from "../channels/last-value.ts";
import type { Overwrite, OverwriteUpdate } from "../channels/overwrite.ts";
import type { NodeFunction } from "./node-action.ts";
import { hasBrand } from "./schema/brand.ts";

/** A graph's state: for each key the channel that holds it, or a function that makes it. */
export type StateDefinition = Readonly<Record<string, BaseChannel | (() => BaseChannel)>>;

type Made<C> = C extends () => infer Channel ? Channel : C;
type ValueOf<C> = Made<C> extends BaseChannel<infer Value, infer _Update, infer _Saved> ? Value : never;
type UpdateOf<C> = ChannelUpdate<Made<C>>;
type ChannelUpdate<C> =
  C extends BinaryOperatorAggregate<infer Value, infer Update>
    ? Update | Overwrite<Value> | OverwriteUpdate<Value>
    : C extends BaseChannel<infer _Value, infer Update, infer _Saved>
      ? Update
      : never;

/** What a node reads. */
export type StateType<SD extends StateDefinition> = { -readonly [K in keyof SD]: ValueOf<SD[K]> };
/** What a node may return. */
export type UpdateType<SD extends StateDefinition> = { -readonly [K in keyof SD]?: UpdateOf<SD[K]> };

export type Reducer<Value, Update> = (left: Value, right: Update) => Value;

export type SingleReducer<Value, Update = Value> = ReducerOptions<Value, Update> | null;

export type ReducerOptions<Value, Update> =
  | { readonly reducer: Reducer<Value, Update>; readonly default?: () => Value }
  /** The older name of `reducer`. */
  | { readonly value: Reducer<Value, Update>; readonly default?: () => Value };

/** A state definition with the types that come from it. */
export class AnnotationRoot<SD extends StateDefinition> {
  readonly lc_graph_name = "AnnotationRoot";
  readonly spec: SD;
  /** For `typeof Root.State` and the like; there is no value. */
  declare readonly State: StateType<SD>;
  declare readonly Update: UpdateType<SD>;
  declare readonly Node: NodeFunction<StateType<SD>, UpdateType<SD>>;

  constructor(spec: SD) {
    this.spec = spec;
  }

  static isInstance(value: unknown): value is AnnotationRoot<StateDefinition> {
    return hasBrand(value, "AnnotationRoot");
  }
}

/** A key whose writes are combined with its value by a reducer. */
function annotate<Value, Update = Value>(
  options: ReducerOptions<Value, Update>,
): BinaryOperatorAggregate<Value, Update>;
/** A key that keeps what was written last. The call may be left out: this form is the last, and so the one inferred. */
function annotate<Value>(): LastValue<Value>;
function annotate<Value, Update = Value>(
  options?: ReducerOptions<Value, Update>,
): LastValue<Value> | BinaryOperatorAggregate<Value, Update> {
  if (options === undefined) return new LastValue<Value>();
  const reducer = "reducer" in options ? options.reducer : options.value;
  return new BinaryOperatorAggregate<Value, Update>(reducer, options.default);
}

/**
 * Defines a key of the state.
 *
 * @example
 * const State = Annotation.Root({
 *   topic: Annotation<string>(),
 *   log: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
 * });
 */
export const Annotation = Object.assign(annotate, {
  Root: <SD extends StateDefinition>(spec: SD): AnnotationRoot<SD> => new AnnotationRoot(spec),
});
