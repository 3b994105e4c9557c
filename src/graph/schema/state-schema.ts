import { isObject } from "../../values/containers.ts";
import type { BaseChannel } from "../../channels/base.ts";
import { InvalidArgumentError } from "../../errors.ts";
import type { StateType, UpdateType } from "../annotation.ts";
import type { NodeFunction } from "../node-action.ts";
import { hasBrand } from "./brand.ts";
import { checkEntries } from "./check-entries.ts";
import { fieldKey } from "./field.ts";
import { acceptsNothing } from "./default-of.ts";
import { fieldJsonSchema, schemaOf } from "./field-json-schema.ts";
import type { JsonSchema } from "./json-schema.ts";
import { describeIssues } from "./standard-schema.ts";
import type { StateKeys } from "./state-keys.ts";
import type { FieldsToStateDefinition, StateSchemaFields } from "./state-fields.ts";

const BRAND = "StateSchema";

/**
 * A graph's state by the schema of each key, of any library that follows Standard Schema. What comes into the state is
 * checked by them: the input, and what nodes return.
 *
 * @example
 * const State = new StateSchema({
 *   topic: z.string(),
 *   lines: new ReducedValue(z.array(z.string()).default(() => []), {
 *     inputSchema: z.string(),
 *     reducer: (lines, line) => [...lines, line],
 *   }),
 * });
 */
export class StateSchema<Fields extends StateSchemaFields> {
  readonly lc_graph_name = BRAND;
  readonly fields: Fields;
  /** The keys as a graph uses them. */
  readonly keys: StateKeys;
  /** For `typeof Schema.State` and the like; there is no value. */
  declare readonly State: StateType<FieldsToStateDefinition<Fields>>;
  declare readonly Update: UpdateType<FieldsToStateDefinition<Fields>>;
  declare readonly Node: NodeFunction<
    StateType<FieldsToStateDefinition<Fields>>,
    UpdateType<FieldsToStateDefinition<Fields>>
  >;

  constructor(fields: Fields) {
    this.fields = fields;
    this.keys = new Map(Object.entries(fields).map(([key, field]) => [key, fieldKey(key, field)]));
  }

  getChannels(): Record<string, BaseChannel> {
    return Object.fromEntries([...this.keys].map(([key, { channel }]) => [key, channel]));
  }

  getAllKeys(): string[] {
    return [...this.keys.keys()];
  }

  /** The keys that are saved with checkpoints, or could be. */
  getChannelKeys(): string[] {
    return this.getAllKeys();
  }

  /** The data with each known key as its schema gives it. Unknown keys stay. Throws when a key does not fit. */
  async validateInput<T>(data: T): Promise<T> {
    if (!isObject(data)) return data;
    const checked = await checkEntries(this.keys, Object.entries(data));
    if (!checked.ok) {
      throw new InvalidArgumentError(
        "invalid_input",
        `The data does not fit the schema: ${describeIssues(checked.issues)}.`,
        { details: { issues: checked.issues } },
      );
    }
    // The same keys; the schemas say what they hold.
    return Object.fromEntries(checked.entries) as T;
  }

  /** The state as JSON Schema. Keys whose library does not say what they are, are left out. */
  getJsonSchema(): JsonSchema {
    const properties: Record<string, unknown> = {};
    const required: string[] = [];
    for (const [key, field] of Object.entries(this.fields)) {
      const schema = fieldJsonSchema(field, "value");
      if (schema === undefined) continue;
      properties[key] = schema;
      const held = schemaOf(field, "value");
      if (held === undefined || !acceptsNothing(held)) required.push(key);
    }
    return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
  }

  /** What a node may return, as JSON Schema. */
  getInputJsonSchema(): JsonSchema {
    const properties = Object.entries(this.fields).flatMap(([key, field]) => {
      const schema = fieldJsonSchema(field, "input");
      return schema === undefined ? [] : [[key, schema] as const];
    });
    return { type: "object", properties: Object.fromEntries(properties) };
  }

  static isInstance(value: unknown): value is StateSchema<StateSchemaFields> {
    return hasBrand(value, BRAND);
  }
}
