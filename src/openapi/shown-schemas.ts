import type * as v from "valibot";
import { type JsonSchema, jsonSchemas, reference } from "./json-schema.ts";
import { NAMED } from "./named-schemas.ts";
import type { Operation } from "./operation.ts";

/** The schemas of bodies and answers as the document shows them: those with names among its components. */
export class ShownSchemas {
  readonly #definitions: Readonly<Record<string, JsonSchema>>;
  readonly #keys: ReadonlyMap<v.GenericSchema, string>;

  constructor(operations: readonly Operation[]) {
    const unnamed = operations
      .flatMap(schemasIn)
      .map((schema, index) => [`unnamed.${index}`, schema] as const);
    // Names go before: what has one is in both.
    const all = { ...Object.fromEntries(unnamed), ...NAMED };
    this.#definitions = jsonSchemas(all);
    this.#keys = new Map(Object.entries(all).map(([key, schema]) => [schema, key]));
  }

  /** The schema, or a reference to it where it has a name. */
  of(schema: v.GenericSchema): JsonSchema {
    const key = this.#keys.get(schema) ?? "";
    return Object.hasOwn(NAMED, key) ? reference(key) : (this.#definitions[key] ?? {});
  }

  /** The named ones that the value refers to, and those that these refer to. */
  usedIn(value: unknown): Readonly<Record<string, JsonSchema>> {
    const used = new Map<string, JsonSchema>();
    const follow = (text: string): void => {
      for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        const definition = this.#definitions[name];
        if (definition === undefined || used.has(name)) continue;
        used.set(name, definition);
        follow(JSON.stringify(definition));
      }
    };
    follow(JSON.stringify(value));
    return Object.fromEntries([...used].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function schemasIn({ body, answers }: Operation): readonly v.GenericSchema[] {
  const said = [body && "schema" in body ? body.schema : null, ...Object.values(answers)];
  return said.filter((answer) => answer !== null && "kind" in answer);
}
