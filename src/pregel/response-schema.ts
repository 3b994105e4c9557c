import { isObject } from "../values/containers.ts";
import { InvalidArgumentError, type ErrorDetails } from "../errors.ts";

/** The part of a Standard Schema (https://standardschema.dev) that the engine uses: zod, valibot and others have it. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What an answer has to be: a Standard Schema checks it here, a JSON Schema is for the caller who shows the question. */
export type ResponseSchema<Answer = unknown> = StandardSchema<Answer> | Readonly<Record<string, unknown>>;

export type Acceptance =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly ErrorDetails[] };

export function acceptAnswer(schema: ResponseSchema | undefined, answer: unknown): Acceptance {
  if (schema === undefined || !isStandardSchema(schema)) return { ok: true, value: answer };
  const result = schema["~standard"].validate(answer);
  if (result instanceof Promise) {
    throw new InvalidArgumentError(
      "invalid_response_schema",
      "The responseSchema of interrupt() must validate without waiting: interrupt() returns its answer at once.",
    );
  }
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map(describeIssue) };
}

/** What is stored with the question for its readers. */
export function publicSchema(schema: ResponseSchema | undefined): { readonly response_schema?: unknown } {
  if (schema === undefined) return {};
  if (!isStandardSchema(schema)) return { response_schema: schema };
  const json: unknown = Reflect.get(schema["~standard"], "jsonSchema");
  const input: unknown = isObject(json) && "input" in json ? json.input : undefined;
  if (typeof input !== "function") return {};
  return { response_schema: input({ target: "draft-2020-12" }) };
}

function describeIssue(issue: StandardIssue): ErrorDetails {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
  return { message: issue.message, path };
}

function isStandardSchema(schema: ResponseSchema): schema is StandardSchema {
  return "~standard" in schema;
}
