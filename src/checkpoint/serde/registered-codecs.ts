import { adoptOwned, isConstant } from "../../values/adopt.ts";
import { adoptInstancesBy } from "../../values/opaque.ts";
import { UnserializableError } from "../../errors.ts";
import { CodecRegistry } from "./codec.ts";
import type { Codec } from "./codec.ts";
import { KeyCache } from "./key-cache.ts";
import { readValue } from "./value-reader.ts";
import { writeValue } from "./value-writer.ts";

/** The codecs that every serializer knows, also one that was made before them. */
export const registeredCodecs = new CodecRegistry();

const keys = new KeyCache();

/**
 * Lets state hold instances of a class. To be called once for each class, before graphs run and threads are read: at the
 * top of the module that makes the graph.
 *
 * @example
 * registerCodec({
 *   name: "money",
 *   class: Money,
 *   immutable: true,
 *   encode: (money) => money.cents,
 *   decode: (cents) => new Money(Number(cents)),
 * });
 */
export function registerCodec<Instance extends object>(codec: Codec<Instance>): void {
  registeredCodecs.add(codec);
}

adoptInstancesBy(copyOf);

/** What state holds of an instance: what a reload would give, so that a thread in memory and one from storage are alike. */
function copyOf(instance: object): object | undefined {
  const codec = registeredCodecs.find(instance, Object.getPrototypeOf(instance) as object);
  if (codec === undefined) return instance instanceof Error ? copyOfError(instance) : undefined;
  return codec.immutable === true ? instance : reloaded(instance);
}

/** It is frozen, unless something in it cannot be. */
function copyOfError(error: Error): object | undefined {
  const copy = reloaded(error);
  return copy === undefined || isConstant(adoptOwned(copy)) ? copy : reloaded(error);
}

function reloaded(instance: object): object | undefined {
  try {
    return Object(
      readValue(writeValue(instance, registeredCodecs, { isAllNeeded: true }), registeredCodecs, keys),
    ) as object;
  } catch (error) {
    // The saver refuses it, with its channel and path.
    if (error instanceof UnserializableError) return undefined;
    throw error;
  }
}
