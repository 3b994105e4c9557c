import { decode, encode } from "../checkpoint/encoding.ts";
import { GRAPH_CRONS } from "../graph-crons.ts";
import { fromHex, toHex } from "../storage/stored-id.ts";
import type { Ready } from "./access.ts";
import { type HashedKey, hashedKey } from "./content-hashes.ts";
import type { ThreadPlatform } from "./platform.ts";
import type { KeyedCall, KeysApi, Reply } from "./protocol.ts";
import { replying } from "./replying.ts";
import type { ThreadStorage } from "./thread-storage.ts";

export interface KeptAnswersParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly ready: Ready;
}

/** What calls with a key were answered, where nothing that is stored of the thread tells it. */
export class KeptAnswers implements KeysApi {
  readonly #parts: KeptAnswersParts;

  constructor(parts: KeptAnswersParts) {
    this.#parts = parts;
  }

  claimKey(call: KeyedCall): Promise<Reply<string | null>> {
    const { storage, platform } = this.#parts;
    return replying(async () => {
      const key = await this.#keyOf(call);
      if (key === undefined) return null;
      const known = storage.keys.find(key, platform.now());
      if (known !== undefined) return this.#read(known);
      storage.transaction(() => storage.keys.insert(key, "", platform.now()));
      platform.reached("key.claimed");
      return null;
    });
  }

  settleKey(call: KeyedCall, answer: string): Promise<Reply<string>> {
    const { storage, platform } = this.#parts;
    return replying(async () => {
      const written = await this.#written(answer);
      const key = await this.#keyOf(call);
      if (key === undefined) return "";
      const known = answer === "" && storage.keys.find(key, platform.now());
      if (known) return this.#read(known);
      storage.transaction(() => {
        if (answer === "") storage.keys.remove(key);
        else storage.keys.insert(key, written, platform.now());
      });
      platform.reached("key.settled");
      return "";
    });
  }

  /** Undefined where there is no thread. What keeps the crons of graphs is made for its first key. */
  async #keyOf(call: KeyedCall): Promise<HashedKey | undefined> {
    const { storage, platform, ready } = this.#parts;
    const { idempotency, tenant, threadId } = call;
    await ready(call);
    const key = await hashedKey(storage.serde, idempotency);
    if (storage.thread() !== undefined) return key;
    if (threadId !== GRAPH_CRONS) return undefined;
    const row = { tenant, thread_id: threadId, graph: "", created_at: platform.now(), metadata: {} };
    storage.transaction(() => storage.create(row));
    return key;
  }

  async #written(answer: string): Promise<string> {
    const { type, data } = await encode(this.#parts.storage.serde, answer);
    return `${type} ${toHex(data)}`;
  }

  async #read(written: string): Promise<string> {
    if (written === "") return "";
    const [type = "", data = ""] = written.split(" ");
    return String(await decode(this.#parts.storage.serde, { type, data: fromHex(data) }));
  }
}
