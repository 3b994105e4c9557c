import * as v from "valibot";
import { TidemarkError } from "../errors.ts";
import type { RuntimeOptions } from "./options.ts";

const AnObject = v.optional(v.unknown());
const AFunction = v.optional(v.function());
const AText = v.optional(v.pipe(v.string(), v.minLength(1)));
const Count = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)));
const Origin = v.pipe(v.string(), v.check(isOrigin, 'must be as in "https://app.example.com"'));

const Options = v.strictObject({
  graphs: AnObject,
  bindings: v.optional(
    v.strictObject({ thread: AText, blobs: AText, directory: AText, version: AText, rateLimiter: AText }),
  ),
  auth: AFunction,
  origins: v.optional(v.array(Origin)),
  directory: v.optional(v.strictObject({ extract: v.optional(v.array(v.string())), shards: Count })),
  store: AnObject,
  maxBodySize: Count,
  inlineLimit: Count,
  serde: AFunction,
  lease: Count,
  retention: AnObject,
  events: AnObject,
  eventSchemas: AnObject,
  webhooks: AnObject,
  hooks: AnObject,
  deliveries: AnObject,
  crons: AFunction,
  compatibility: v.optional(
    v.strictObject({
      errors: v.optional(v.picklist(["json", "text"])),
      endEvent: v.optional(v.boolean()),
      unknownInput: v.optional(v.picklist(["refuse", "ignore"])),
    }),
  ),
  log: AnObject,
  traces: AFunction,
  placement: AnObject,
  report: AFunction,
  openapi: AnObject,
} satisfies Record<keyof RuntimeOptions, v.GenericSchema>);

/**
 * Refuses, before anything is served, what would mean something else than is wanted: a name that is written wrongly would be as if it
 * were not there, and nobody checks the types of JavaScript.
 */
export function checkOptions(options: RuntimeOptions): void {
  const { issues } = v.safeParse(Options, options);
  if (issues === undefined) return;
  const [issue] = issues;
  throw new TidemarkError(
    "invalid_options",
    `createRuntime() cannot use its option "${v.getDotPath(issue) ?? ""}": ${issue.message}.`,
  );
}

/** One that is written in another way would never be met. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host } = new URL(text);
  return host !== "" && text === `${protocol}//${host}`;
}
