import { isConstant } from "../adopt.ts";
import { decode, encode } from "./encoding.ts";
import type { ChannelLocator, Encoded } from "./encoding.ts";
import { chain } from "./maybe-promise.ts";
import type { SerializerProtocol } from "./serde/protocol.ts";
import type { MaybePromise } from "./types.ts";

/** A value as it is kept in memory: itself, where it is data that nobody can change, and encoded otherwise. */
export type KeptValue = { readonly value: unknown } | { readonly encoded: Encoded };

export function keepValue(
  serde: SerializerProtocol,
  value: unknown,
  locate?: ChannelLocator,
): MaybePromise<KeptValue> {
  return isConstant(value) ? { value } : keepEncoded(serde, value, locate);
}

/** For a serializer that is to see every value. */
export function keepEncoded(
  serde: SerializerProtocol,
  value: unknown,
  locate?: ChannelLocator,
): MaybePromise<KeptValue> {
  return chain(encode(serde, value, locate), (encoded) => ({ encoded }));
}

/** The value, of which no part can be changed through what is kept. */
export function takeValue(serde: SerializerProtocol, kept: KeptValue): MaybePromise<unknown> {
  return "value" in kept ? kept.value : decode(serde, kept.encoded);
}
