import { isObject } from "../values/containers.ts";
import { BinaryOperatorAggregate } from "../channels/binary-operator-aggregate.ts";
import { LastValue } from "../channels/last-value.ts";
import { StateGraphInputError } from "../graph-errors.ts";
import { isChannel, parseDefinition } from "./schema/parse-definition.ts";
import type { GraphDefinitions } from "./type-schemas.ts";
import { isStandardSchema, type StandardSchema } from "./schema/standard-schema.ts";
import type { StateKey, StateKeys } from "./schema/state-keys.ts";

/** The definitions that a `StateGraph` is made from, in whatever form they were given. */
export interface GraphInit {
  readonly state: StateKeys;
  /** Absent: the state. */
  readonly input: StateKeys | undefined;
  readonly output: StateKeys | undefined;
  readonly context: StandardSchema | undefined;
  readonly definitions: GraphDefinitions;
  /** What nodes find as `config.interrupt`, where that is not the function. */
  readonly interrupt: unknown;
}

/**
 * Reads the arguments of the constructor: a definition of the state; an object with `state` (or `stateSchema`), `input`,
 * `output` and `context`; or `{ channels }`. The second is the context's schema, or an object with the rest of these.
 */
export function parseConstructor(first: unknown, second: unknown): GraphInit {
  const more = isOptions(second) ? second : { context: second };
  const named = namedState(first);
  const state = named === undefined ? parseDefinition(first) : undefined;
  if (state !== undefined) return { state, ...definitionsOf(more, first) };
  if (!isObject(first)) throw new StateGraphInputError();
  if ("channels" in first) return { state: parseReducers(first.channels), ...definitionsOf(more, first) };
  return { state: required(named), ...definitionsOf({ ...more, ...first }, named) };
}

/** What an object of definitions calls the state; undefined when it is none, but, say, an object of channels. */
function namedState(init: unknown): unknown {
  if (!isObject(init)) return undefined;
  const given: Readonly<Record<string, unknown>> = { ...init };
  const state = given["state"] ?? given["stateSchema"] ?? given["input"];
  // A key of the state may be called so too: it is a channel, or makes one.
  return isChannel(state) || typeof state === "function" ? undefined : state;
}

function definitionsOf(given: Readonly<Record<string, unknown>>, state: unknown): Omit<GraphInit, "state"> {
  const { input, output, context, interrupt } = given;
  return {
    input: input === undefined ? undefined : required(input),
    output: output === undefined ? undefined : required(output),
    // An Annotation.Root gives types only.
    context: isStandardSchema(context) ? context : undefined,
    definitions: { state, input, output, context },
    interrupt,
  };
}

function required(definition: unknown): StateKeys {
  const keys = parseDefinition(definition);
  if (keys === undefined) throw new StateGraphInputError();
  return keys;
}

const OPTIONS: ReadonlySet<string> = new Set(["input", "output", "context", "nodes", "interrupt", "writer"]);

/** An object of options, rather than a schema or an object of channels. */
function isOptions(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value) || isStandardSchema(value)) return false;
  const { interrupt, writer }: { interrupt?: unknown; writer?: unknown } = value;
  // These are functions: they are not to be taken for what makes a channel.
  if ([interrupt, writer].some((given) => given !== undefined && !isChannel(given))) return true;
  if (parseDefinition(value) !== undefined) return false;
  return Object.keys(value).some((key) => OPTIONS.has(key));
}

/** The older form of a definition: for each key a reducer with a default, or null. */
function parseReducers(channels: unknown): StateKeys {
  if (!isObject(channels)) throw new StateGraphInputError();
  const entries: readonly (readonly [string, unknown])[] = Object.entries(channels);
  return new Map(entries.map(([key, given]): [string, StateKey] => [key, { channel: channelOf(given) }]));
}

type Reducer = (left: unknown, right: unknown) => unknown;

function channelOf(given: unknown): StateKey["channel"] {
  if (isChannel(given)) return given;
  if (!isObject(given)) return new LastValue();
  const reducer = "reducer" in given ? given.reducer : "value" in given ? given.value : undefined;
  const initial = "default" in given && isFactory(given.default) ? given.default : undefined;
  return isReducer(reducer) ? new BinaryOperatorAggregate(reducer, initial) : new LastValue(initial);
}

function isReducer(value: unknown): value is Reducer {
  return typeof value === "function";
}

function isFactory(value: unknown): value is () => unknown {
  return typeof value === "function";
}
