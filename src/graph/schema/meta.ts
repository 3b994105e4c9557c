import type { OutputOf, StandardSchema } from "./standard-schema.ts";

/** What a graph wants to know of a key besides its schema. */
export interface SchemaMeta<Value = unknown, Update = Value> {
  readonly reducer?:
    | {
        /** Of what nodes write, where that is not what the key holds. */
        readonly schema?: StandardSchema<unknown, Update>;
        readonly fn: (current: Value, next: Update) => Value;
      }
    | undefined;
  readonly default?: () => Value;
  readonly jsonSchemaExtra?: Readonly<Record<string, unknown>>;
}

/** A schema that `withLangGraph` has given a reducer. */
export type ReducedSchema<Schema, Update> = Schema & { readonly lg_reducer_schema: StandardSchema<Update> };

/** Metas by schema. */
export class SchemaMetaRegistry {
  // Whoever registers a meta says that it is for the values of its schema: between the two, its types are not known.
  readonly #metas = new WeakMap<object, unknown>();

  get(schema: object): SchemaMeta | undefined {
    return this.#metas.get(schema) as SchemaMeta | undefined;
  }

  /** Replaces the meta of a schema by what `next` makes of the present one. */
  extend<Value, Update>(
    schema: StandardSchema<never, Value> | object,
    next: (meta: SchemaMeta<Value, Update> | undefined) => SchemaMeta<Value, Update>,
  ): void {
    const present = this.#metas.get(schema) as SchemaMeta<Value, Update> | undefined;
    this.#metas.set(schema, next(present));
  }

  remove(schema: object): this {
    this.#metas.delete(schema);
    return this;
  }

  has(schema: object): boolean {
    return this.#metas.has(schema);
  }
}

/** What `withLangGraph` and `registry` write to and graphs read from. */
export const schemaMetaRegistry = new SchemaMetaRegistry();

/**
 * Gives the schema of a key a reducer or a default. It has to be the outermost call: a schema that is made from this one
 * (`.optional()`, `.default(…)`) is another schema.
 *
 * @example
 * const State = z.object({
 *   log: withLangGraph(z.array(z.string()), {
 *     reducer: { schema: z.string(), fn: (log, line) => [...log, line] },
 *     default: () => [],
 *   }),
 * });
 */
export function withLangGraph<Schema extends StandardSchema>(
  schema: Schema,
  meta: SchemaMeta<OutputOf<Schema>> & { readonly reducer?: undefined },
): Schema;
export function withLangGraph<Schema extends StandardSchema, Update = OutputOf<Schema>>(
  schema: Schema,
  meta: SchemaMeta<OutputOf<Schema>, Update>,
): ReducedSchema<Schema, Update>;
export function withLangGraph(schema: StandardSchema, meta: object): StandardSchema {
  schemaMetaRegistry.extend(schema, () => meta);
  return schema;
}
