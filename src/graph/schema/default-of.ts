import { isStandardSchema, type StandardResult, type StandardSchema } from "./standard-schema.ts";

/**
 * Makes the default of a schema: what it turns `undefined` into. Undefined when it has none, or when only waiting would
 * tell. The default is made anew at each call, and is expected to be equal each time.
 */
export function getSchemaDefaultGetter(schema: unknown): (() => unknown) | undefined {
  if (!isStandardSchema(schema)) return undefined;
  return defaultOf(schema) === undefined ? undefined : () => defaultOf(schema);
}

/** Whether a schema takes `undefined`; false when only waiting would tell. */
export function acceptsNothing(schema: StandardSchema): boolean {
  const result = ofNothing(schema);
  return result !== undefined && result.issues === undefined;
}

function defaultOf(schema: StandardSchema): unknown {
  const result = ofNothing(schema);
  return result?.issues === undefined ? result?.value : undefined;
}

function ofNothing(schema: StandardSchema): StandardResult<unknown> | undefined {
  try {
    const result = schema["~standard"].validate(undefined);
    if (!(result instanceof Promise)) return result;
    result.catch(() => undefined);
    return undefined;
  } catch {
    // zod 3 and 4 throw when a schema that checks asynchronously is asked synchronously.
    return undefined;
  }
}
