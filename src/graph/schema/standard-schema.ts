import { isObject } from "../../values/containers.ts";
import type { MaybePromise } from "../../checkpoint/types.ts";

/**
 * What zod, valibot, arktype and others have in common (https://standardschema.dev): enough of it to check a value and
 * to infer its types. Declared here, so that the package needs none of them.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => MaybePromise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type TypesOf<T> = T extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types>
  : never;
/** What a schema takes. */
export type InputOf<T> = TypesOf<T> extends { readonly input: infer Input } ? Input : unknown;
/** What a schema gives. */
export type OutputOf<T> = TypesOf<T> extends { readonly output: infer Output } ? Output : unknown;

/** What is wrong with a value, and where in it. */
export interface Issue {
  readonly message: string;
  readonly path: readonly (string | number)[];
}

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  if (!("~standard" in value)) return false;
  const props = value["~standard"];
  return isObject(props) && "validate" in props && typeof props.validate === "function";
}

/** The value as the schema gives it, or what is wrong with it. Stays synchronous when the schema does. */
export function check(schema: StandardSchema, value: unknown): MaybePromise<Checked> {
  const result = schema["~standard"].validate(value);
  return result instanceof Promise ? result.then(checkedOf) : checkedOf(result);
}

/** The issues as one line of text: `items.0: expected a string`. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
    .join("; ");
}

function checkedOf(result: StandardResult<unknown>): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return {
    ok: false,
    issues: result.issues.map(({ message, path }) => ({
      message,
      path: (path ?? []).map((part) => keyOf(typeof part === "object" ? part.key : part)),
    })),
  };
}

function keyOf(key: PropertyKey): string | number {
  return typeof key === "symbol" ? String(key) : key;
}
