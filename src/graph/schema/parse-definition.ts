import { isObject } from "../../values/containers.ts";
import type { BaseChannel } from "../../channels/base.ts";
import { AnnotationRoot } from "../annotation.ts";
import { propertyKey } from "./field.ts";
import { shapeOf } from "./object-schema.ts";
import type { StateKey, StateKeys } from "./state-keys.ts";
import { StateSchema } from "./state-schema.ts";

/** The keys of a definition, in whatever form it is given; undefined when it is none. */
export function parseDefinition(definition: unknown): StateKeys | undefined {
  if (StateSchema.isInstance(definition)) return definition.keys;
  if (AnnotationRoot.isInstance(definition)) return parseChannels(definition.spec);
  const shape = shapeOf(definition);
  if (shape !== undefined) return new Map([...shape].map(([key, field]) => [key, propertyKey(field)]));
  const keys = parseChannels(definition);
  // A plain object without channels may be anything.
  return keys?.size === 0 ? undefined : keys;
}

/** A plain object of channels, or of functions that make one. */
function parseChannels(definition: unknown): StateKeys | undefined {
  if (!isObject(definition)) return undefined;
  const entries: readonly (readonly [string, unknown])[] = Object.entries(definition);
  const keys = new Map<string, StateKey>();
  for (const [key, entry] of entries) {
    const made: unknown = typeof entry === "function" ? entry() : entry;
    if (!isChannel(made)) return undefined;
    keys.set(key, { channel: made });
  }
  return keys;
}

export function isChannel(value: unknown): value is BaseChannel {
  return isObject(value) && "lg_is_channel" in value && value.lg_is_channel === true;
}
