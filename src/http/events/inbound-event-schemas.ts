import { RefusedError } from "../../errors.ts";
import { check, type StandardSchema } from "../../graph/schema/standard-schema.ts";

/** What the payloads of events have to be, by key. An event whose key is not there may bring anything. */
export type EventSchemas = Readonly<Record<string, StandardSchema>>;

/** Refuses a payload that is not what its event has to bring. */
export async function checkEvent(schemas: EventSchemas = {}, key: string, payload: unknown): Promise<void> {
  const schema = Object.hasOwn(schemas, key) ? schemas[key] : undefined;
  const checked = schema && (await check(schema, payload));
  if (checked === undefined || checked.ok) return;
  const issues = checked.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  const [first] = issues;
  const place = first === undefined || first.path === "" ? "the payload" : `"${first.path}" in the payload`;
  throw new RefusedError(
    "invalid_event",
    `The event "${key}" is not valid at ${place}: ${first?.message ?? "unknown"}. Nothing was delivered.`,
    { details: { key, issues } },
  );
}
