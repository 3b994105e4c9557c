import type { MaybePromise } from "../types.ts";

/**
 * Turns any value into bytes and back. The type tag names the format, so that bytes stay readable when the format
 * changes. A serializer that has nothing to await answers at once: a superstep then stays in one turn of the event loop.
 */
export interface SerializerProtocol {
  /**
   * `isBare`: every list in the value is known to have nothing but members, outside of instances of classes. The data may be a part of
   * a buffer that others share: its `buffer` is not for whoever gets it.
   */
  dumpsTyped(value: unknown, isBare?: boolean): MaybePromise<[type: string, data: Uint8Array]>;
  loadsTyped(type: string, data: Uint8Array | string): MaybePromise<unknown>;
  /**
   * Of a serializer that encrypts: 32 bytes that name the bytes, the same ones always the same, and tell nothing about
   * them. Large values, which are kept apart under a name of their content, are then written by the serializer too.
   */
  fingerprint?(bytes: Uint8Array): Promise<Uint8Array>;
  /** The same by each key that is known, that of `fingerprint` first: what was named before a key was changed is found again. */
  fingerprints?(bytes: Uint8Array): Promise<readonly Uint8Array[]>;
}
