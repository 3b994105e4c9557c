import { UndecodableError } from "../../../errors.ts";
import { MsgpackSerializer } from "../msgpack-serializer.ts";
import type { SerializerProtocol } from "../protocol.ts";
import { ENCRYPTED } from "./encrypted-type.ts";
import { DecryptionError } from "./errors.ts";
import { headOf, NONCE_SIZE, readEnvelope, writeEnvelope, type Envelope } from "./envelope.ts";
import { KeyRing, type KeyRingOptions } from "./key-ring.ts";

export interface EncryptedSerializerOptions extends KeyRingOptions {
  /** Makes the bytes that are encrypted; a `MsgpackSerializer` by default. */
  readonly serde?: SerializerProtocol;
  /** Also reads what was stored before there was a key. Otherwise it is refused: anybody could have put it there. */
  readonly readsPlain?: boolean;
  readonly randomBytes?: (size: number) => Uint8Array<ArrayBuffer>;
}

/**
 * Encrypts what another serializer writes, with AES-256-GCM. To change the key, add one to the ring and make it the current
 * one: it is written with from then on, and what was written with the others is still read.
 */
export class EncryptedSerializer implements SerializerProtocol {
  readonly #keys: KeyRing;
  readonly #serde: SerializerProtocol;
  readonly #readsPlain: boolean;
  readonly #randomBytes: (size: number) => Uint8Array<ArrayBuffer>;

  constructor(options: EncryptedSerializerOptions) {
    this.#keys = new KeyRing(options);
    this.#serde = options.serde ?? new MsgpackSerializer();
    this.#readsPlain = options.readsPlain ?? false;
    this.#randomBytes = options.randomBytes ?? ((size) => crypto.getRandomValues(new Uint8Array(size)));
  }

  /** The value is the one of the time of the call. */
  async dumpsTyped(value: unknown): Promise<[type: string, data: Uint8Array]> {
    const [type, data] = await this.#serde.dumpsTyped(value);
    const { cipher } = await this.#keys.get(this.#keys.current);
    const head = headOf(this.#keys.current, type);
    const nonce = this.#randomBytes(NONCE_SIZE);
    const algorithm = { name: "AES-GCM", iv: nonce, additionalData: head };
    // Not awaited here: while the envelope is written, nobody holds the data.
    const encrypting = crypto.subtle.encrypt(algorithm, cipher, data);
    return encrypting.then((ciphertext) => [ENCRYPTED, writeEnvelope(head, nonce, ciphertext)]);
  }

  async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    if (type !== ENCRYPTED) {
      if (this.#readsPlain) return this.#serde.loadsTyped(type, data);
      throw new DecryptionError(
        "not_encrypted",
        `it is of the type "${type}" and not encrypted; readsPlain lets the serializer read what was stored before there was a key`,
        { details: { type } },
      );
    }
    if (typeof data === "string") throw new UndecodableError("encrypted data must be a Uint8Array");
    const envelope = readEnvelope(data);
    return this.#serde.loadsTyped(envelope.type, await this.#decrypt(envelope));
  }

  fingerprint(bytes: Uint8Array): Promise<Uint8Array> {
    return this.#fingerprintBy(this.#keys.current, bytes);
  }

  fingerprints(bytes: Uint8Array): Promise<readonly Uint8Array[]> {
    return Promise.all(this.#keys.ids().map((id) => this.#fingerprintBy(id, bytes)));
  }

  async #fingerprintBy(keyId: string, bytes: Uint8Array): Promise<Uint8Array> {
    const { fingerprint } = await this.#keys.get(keyId);
    return new Uint8Array(await crypto.subtle.sign("HMAC", fingerprint, bytes));
  }

  async #decrypt({ keyId, head, nonce, ciphertext }: Envelope): Promise<Uint8Array> {
    const { cipher } = await this.#keys.get(keyId);
    try {
      const algorithm = { name: "AES-GCM", iv: nonce, additionalData: head };
      return new Uint8Array(await crypto.subtle.decrypt(algorithm, cipher, ciphertext));
    } catch (cause) {
      throw new DecryptionError(
        "decryption_failed",
        `it was encrypted with the key "${keyId}", and the key of that id here is another one, or the data was changed`,
        { details: { key_id: keyId }, cause },
      );
    }
  }
}
