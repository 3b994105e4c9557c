import { isObject, isRecord } from "../values/containers.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import { InvalidArgumentError } from "../errors.ts";
import { ROOT } from "../pregel/constants.ts";
import type { GraphSchemas, RunnableConfig } from "../pregel/types.ts";
import { isOneValue, type GraphSchema } from "./definition.ts";
import { checkEntries, type CheckedEntries, type Entry } from "./schema/check-entries.ts";
import { check, describeIssues, type Checked, type StandardSchema } from "./schema/standard-schema.ts";
import type { StateKeys } from "./schema/state-keys.ts";

/** Refuses what cannot be an input at all: no object, or one without a key of the input. */
export function checkInput(schema: GraphSchema, value: unknown): void {
  if (isOneValue(schema)) return;
  if (!isRecord(value)) {
    const kind = value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
    throw new InvalidArgumentError(
      "invalid_input",
      `The input must be an object with keys of the state, not ${kind}.`,
    );
  }
  const given = Object.keys(value);
  if (given.length === 0 || given.some((key) => schema.input.has(key))) return;
  const keys = [...schema.input.keys()];
  throw new InvalidArgumentError(
    "invalid_input",
    `The input has no key of the state: it has ${given.join(", ")}; the state has ${keys.join(", ")}.`,
    { details: { keys } },
  );
}

/** Refuses an update from outside that has no key of the state. */
export function checkUpdate(schema: GraphSchema, given: readonly string[]): void {
  if (isOneValue(schema) || given.length === 0 || given.some((key) => schema.keys.has(key))) return;
  const keys = [...schema.keys.keys()];
  throw new InvalidArgumentError(
    "invalid_update",
    `The update has no key of the state: it has ${given.join(", ")}; the state has ${keys.join(", ")}.`,
    { details: { keys } },
  );
}

/** The checks of a graph's schemas; undefined when it has none. */
export function graphSchemas(schema: GraphSchema): GraphSchemas | undefined {
  if (schema.context === undefined && !hasChecks(schema.keys) && !hasChecks(schema.input)) return undefined;
  return {
    input: (value) => {
      if (isOneValue(schema)) return checkedInput(schema, [[ROOT, value]], ([root]) => root?.[1]);
      if (!isObject(value)) return value;
      const entries = Object.entries(value).filter(([key]) => schema.input.has(key));
      return checkedInput(schema, entries, Object.fromEntries);
    },
    update: (writes) => {
      const checked = checkEntries(schema.keys, writes);
      return checked instanceof Promise ? checked.then(updateOf) : updateOf(checked);
    },
    context: (config) => (schema.context === undefined ? config : withContext(schema.context, config)),
  };
}

function hasChecks(keys: StateKeys): boolean {
  return [...keys.values()].some((key) => key.check !== undefined);
}

function checkedInput(
  schema: GraphSchema,
  entries: readonly Entry[],
  inputOf: (entries: readonly Entry[]) => unknown,
): MaybePromise<unknown> {
  const inputFrom = (checked: CheckedEntries): unknown =>
    inputOf(accept(checked, "The input does not fit the state"));
  const checked = checkEntries(schema.input, entries);
  return checked instanceof Promise ? checked.then(inputFrom) : inputFrom(checked);
}

function updateOf(checked: CheckedEntries): [string, unknown][] {
  return accept(checked, "The update of the Command does not fit the state").map(([key, value]) => [
    key,
    value,
  ]);
}

function accept(checked: CheckedEntries, problem: string): readonly Entry[] {
  if (checked.ok) return checked.entries;
  throw new InvalidArgumentError("invalid_input", `${problem}: ${describeIssues(checked.issues)}.`, {
    details: { issues: checked.issues },
  });
}

/**
 * The config with the context as the schema gives it: of no context the defaults, if the schema accepts that. Graphs of
 * LangGraph's older kind have their settings in `configurable`: where these fit, there need be no context.
 */
async function withContext(schema: StandardSchema, config: RunnableConfig): Promise<RunnableConfig> {
  const checked = await check(schema, config.context ?? {});
  if (checked.ok) return { ...config, context: checked.value };
  if (config.context === undefined && (await fits(schema, config.configurable))) return config;
  throw new InvalidArgumentError(
    "invalid_context",
    `The context does not fit the graph's schema: ${describeIssues(checked.issues)}.`,
    { details: { issues: checked.issues } },
  );
}

async function fits(schema: StandardSchema, value: unknown): Promise<boolean> {
  const checked: MaybePromise<Checked> = check(schema, value);
  return (await checked).ok;
}
