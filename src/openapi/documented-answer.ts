import type { JsonSchema } from "./json-schema.ts";

/** A body as OpenAPI has it. */
export interface Content {
  readonly description?: string;
  /** By type. */
  readonly content: Readonly<Record<string, { readonly schema?: JsonSchema; readonly example?: unknown }>>;
}

/** An answer as OpenAPI has it. */
export interface DocumentedAnswer extends Partial<Content> {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  /** The codes of the errors with this status. */
  readonly "x-codes"?: readonly string[];
}
