import type { MaybePromise } from "../types.ts";

/**
 * Turns any value into bytes and back. The type tag names the format, so that bytes stay readable when the format
 * changes. A serializer that has nothing to await answers at once: a superstep then stays in one turn of the event loop.
 */
export interface SerializerProtocol {
  dumpsTyped(value: unknown): MaybePromise<[type: string, data: Uint8Array]>;
  loadsTyped(type: string, data: Uint8Array | string): MaybePromise<unknown>;
}
