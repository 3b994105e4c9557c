import { schemaMetaRegistry, type SchemaMeta } from "./meta.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** A meta as zod's `register` takes it: it does not say of which values its functions are. */
export interface RegisteredMeta {
  readonly reducer?:
    | {
        readonly schema?: StandardSchema;
        readonly fn: (current: never, next: never) => unknown;
      }
    | undefined;
  readonly default?: () => unknown;
  readonly jsonSchemaExtra?: Readonly<Record<string, unknown>>;
}

/** Stands for zod's own type of schemas, which is not known here: zod is not a dependency. */
type ZodSchema = ReturnType<typeof JSON.parse>;

/** What zod 4 asks of a registry. The metas are kept in `schemaMetaRegistry`. */
class ZodRegistry {
  // zod's types read these.
  declare readonly _meta: RegisteredMeta;
  declare readonly _schema: ZodSchema;
  readonly _map = new WeakMap<ZodSchema, RegisteredMeta>();
  readonly _idmap = new Map<string, ZodSchema>();

  add(schema: object, meta: RegisteredMeta = {}): this {
    schemaMetaRegistry.extend(
      schema,
      (present: SchemaMeta | undefined) => ({ ...present, ...meta }) as SchemaMeta,
    );
    return this;
  }

  /** Metas are kept by schema, and go with it: there is nothing to clear. */
  clear(): this {
    return this;
  }

  remove(schema: object): this {
    schemaMetaRegistry.remove(schema);
    return this;
  }

  get(schema: object): RegisteredMeta | undefined {
    return schemaMetaRegistry.get(schema);
  }

  has(schema: object): boolean {
    return schemaMetaRegistry.has(schema);
  }
}

/** For zod 4: `schema.register(registry, { reducer, default })`. */
export const registry = new ZodRegistry();
