import type { Idempotency, Reply, ThreadAddress } from "../call.ts";

/** What the router and a thread object say to each other about calls of which nothing else tells what they came to. */

export interface KeyedCall extends ThreadAddress {
  readonly idempotency: Idempotency;
  /** Names this call among others under the key. */
  readonly claim: string;
}

/** The methods of a thread object for calls of which nothing else tells what they came to. */
export interface KeysApi {
  /**
   * Takes the key for a call that is to be made now, for half a minute: null. When the same call was made before, it is to be
   * answered by what is given. While another one has the key, `idempotency_key_in_use`.
   */
  claimKey(call: KeyedCall): Promise<Reply<string | null>>;
  /** Keeps what the call came to, of several the first; with null the key is free again. */
  settleKey(call: KeyedCall, answer: string | null): Promise<Reply<null>>;
}
