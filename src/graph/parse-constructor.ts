import { BinaryOperatorAggregate } from "../channels/binary-operator-aggregate.ts";
import { LastValue } from "../channels/last-value.ts";
import { StateGraphInputError } from "../errors.ts";
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
}

/**
 * Reads the arguments of the constructor: a definition of the state; an object with `state` (or `stateSchema`), `input`,
 * `output` and `context`; or `{ channels }`. The second is the context's schema, or an object with the rest of these.
 */
export function parseConstructor(first: unknown, second: unknown): GraphInit {
  const more = isOptions(second) ? second : { context: second };
  const state = parseDefinition(first);
  if (state !== undefined) return { state, ...definitionsOf(more, first) };
  if (typeof first !== "object" || first === null) throw new StateGraphInputError();
  if ("channels" in first) return { state: parseReducers(first.channels), ...definitionsOf(more, first) };
  const given: Readonly<Record<string, unknown>> = { ...first };
  const definition = given["state"] ?? given["stateSchema"] ?? given["input"];
  return { state: required(definition), ...definitionsOf({ ...more, ...given }, definition) };
}

function definitionsOf(given: Readonly<Record<string, unknown>>, state: unknown): Omit<GraphInit, "state"> {
  const { input, output, context } = given;
  return {
    input: input === undefined ? undefined : required(input),
    output: output === undefined ? undefined : required(output),
    // An Annotation.Root gives types only.
    context: isStandardSchema(context) ? context : undefined,
    definitions: { state, input, output, context },
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
  if (typeof value !== "object" || value === null || isStandardSchema(value)) return false;
  if (parseDefinition(value) !== undefined) return false;
  return Object.keys(value).some((key) => OPTIONS.has(key));
}

/** The older form of a definition: for each key a reducer with a default, or null. */
function parseReducers(channels: unknown): StateKeys {
  if (typeof channels !== "object" || channels === null) throw new StateGraphInputError();
  const entries: readonly (readonly [string, unknown])[] = Object.entries(channels);
  return new Map(entries.map(([key, given]): [string, StateKey] => [key, { channel: channelOf(given) }]));
}

type Reducer = (left: unknown, right: unknown) => unknown;

function channelOf(given: unknown): StateKey["channel"] {
  if (isChannel(given)) return given;
  if (typeof given !== "object" || given === null) return new LastValue();
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
