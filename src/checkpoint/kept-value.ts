import { decode, encode } from "./encoding.ts";
import type { ChannelLocator, Encoded } from "./encoding.ts";
import { chain } from "./maybe-promise.ts";
import type { SerializerProtocol } from "./serde/protocol.ts";
import type { MaybePromise } from "./types.ts";

/** A value as it is kept in memory: itself, where it is data that nobody can change, and encoded otherwise. */
export type KeptValue = { readonly value: unknown } | { readonly encoded: Encoded };

/** `channel`: whose value it is, for errors. */
export function keepEncoded(
  serde: SerializerProtocol,
  value: unknown,
  channel?: string,
): MaybePromise<KeptValue> {
  const locate: ChannelLocator | undefined =
    channel === undefined ? undefined : (path) => ({ channel, path });
  return chain(encode(serde, value, locate), (encoded) => ({ encoded }));
}

/** The value, of which no part can be changed through what is kept. */
export function takeValue(serde: SerializerProtocol, kept: KeptValue): MaybePromise<unknown> {
  return "value" in kept ? kept.value : decode(serde, kept.encoded);
}
