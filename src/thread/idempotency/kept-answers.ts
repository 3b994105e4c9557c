import type { Ready } from "../access.ts";
import { type HashedKey, hashedKey } from "./content-hashes.ts";
import { keyInUse } from "../errors.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { Reply } from "../call.ts";
import type { KeyedCall, KeysApi } from "./key-protocol.ts";
import { replying } from "../replying.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** In milliseconds: so long the platform lets a router go on whose client is gone. */
const CLAIMED_FOR = 30_000;

type Kept =
  | { readonly answer: string }
  | { readonly answer?: undefined; readonly claim: string; readonly until: number };

export interface KeptAnswersParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly ready: Ready;
}

/** The keys of calls of which nothing comes that could keep them. */
export class KeptAnswers implements KeysApi {
  readonly #parts: KeptAnswersParts;

  constructor(parts: KeptAnswersParts) {
    this.#parts = parts;
  }

  claimKey(call: KeyedCall): Promise<Reply<string | null>> {
    const { storage, platform } = this.#parts;
    return replying(async () => {
      const key = await this.#keyOf(call);
      const now = platform.now();
      const known = storage.thread() && this.#find(key, now);
      if (known?.answer !== undefined) return known.answer;
      if (known !== undefined && known.claim !== call.claim && known.until > now) throw keyInUse(key.key);
      storage.transaction(() => {
        const { tenant, threadId } = call;
        if (storage.thread() === undefined) {
          storage.create({ tenant, thread_id: threadId, graph: "", created_at: now, metadata: {} });
        }
        this.#keep(key, { claim: call.claim, until: now + CLAIMED_FOR }, now);
      });
      platform.reached("key.claimed");
      return null;
    });
  }

  settleKey(call: KeyedCall, answer: string | null): Promise<Reply<null>> {
    const { storage, platform } = this.#parts;
    return replying(async () => {
      const key = await this.#keyOf(call);
      // The tenant may have been erased.
      if (storage.thread() === undefined) return null;
      const now = platform.now();
      const known = this.#find(key, now);
      if (known?.answer !== undefined) return null;
      if (answer !== null) storage.transaction(() => this.#keep(key, { answer }, now));
      // Another call has the key when this one took longer than its claim holds.
      else if (known?.claim === call.claim) storage.transaction(() => storage.keys.remove(key));
      platform.reached("key.settled");
      return null;
    });
  }

  async #keyOf(call: KeyedCall): Promise<HashedKey> {
    const { storage, ready } = this.#parts;
    await ready(call);
    return hashedKey(storage.serde, call.idempotency);
  }

  #find(key: HashedKey, now: number): Kept | undefined {
    const known = this.#parts.storage.keys.find(key, now);
    // What `#keep` has written.
    return known === undefined ? undefined : (JSON.parse(known) as Kept);
  }

  #keep(key: HashedKey, kept: Kept, now: number): void {
    this.#parts.storage.keys.insert(key, JSON.stringify(kept), now);
  }
}
