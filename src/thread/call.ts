import type { JsonObject } from "../directory/protocol.ts";
import type { WireError } from "../errors.ts";

/** What every call of a thread object says, and what comes back. */

/** Names the thread; the object keeps both in its own row. */
export interface ThreadAddress {
  readonly tenant: string;
  readonly threadId: string;
  /** What its metadata has to contain: for the caller there is no thread without that. */
  readonly access?: JsonObject | undefined;
}

/** Says that a request is the same as an earlier one. */
export interface Idempotency {
  /** Keys are their caller's own. */
  readonly caller: string;
  readonly key: string;
  /** Of the request, so that the key is not used for two. */
  readonly hash: string;
}

/** A refused call has changed nothing; `isFailed` says that the run was accepted, and failed. */
export type Reply<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: WireError; readonly isFailed: boolean };

/** An event stream, or an archive. */
export type ByteStream = ReadableStream<Uint8Array>;

/** JSON text, which is a stream where it is long. */
export type Bytes = Uint8Array<ArrayBuffer> | ByteStream;
