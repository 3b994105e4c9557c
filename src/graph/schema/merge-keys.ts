import { GraphValidationError } from "../../graph-errors.ts";
import type { StateKeys, StateKey } from "./state-keys.ts";

/**
 * Adds the keys of a further definition. Where two have a key, they must mean the same channel; one that says nothing
 * but that there is a value (`Annotation<T>()`, a schema) may repeat any.
 */
export function mergeKeys(all: Map<string, StateKey>, added: StateKeys): void {
  for (const [name, key] of added) {
    const known = all.get(name);
    if (known === undefined) all.set(name, key);
    else if (key.channel.lc_graph_name !== "LastValue" && !known.channel.equals(key.channel)) {
      throw new GraphValidationError(
        `The key "${name}" is defined twice, and not alike. Use one definition, or Annotation<T>() in the others.`,
        {
          details: { channel: name },
        },
      );
    }
  }
}
