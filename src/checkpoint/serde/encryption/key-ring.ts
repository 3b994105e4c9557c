import { TidemarkError } from "../../../errors.ts";
import { MissingKeyError } from "./errors.ts";

const KEY_SIZE = 32;
const MAX_ID = 255;

export interface KeyRingOptions {
  /** The id of the key that is written with. */
  readonly current: string;
  /** By id, all that something was written with which is still to be read: 32 random bytes each, as they are or as base64. */
  readonly keys: Readonly<Record<string, string | Uint8Array>>;
}

/** What is made of one key: one part for each use of it. */
interface DerivedKeys {
  readonly cipher: CryptoKey;
  readonly fingerprint: CryptoKey;
}

/** The keys by id, ready for use. */
export class KeyRing {
  readonly current: string;
  readonly #materials: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Keys, not promises: what one request of a Worker began another must not wait for. */
  readonly #derived = new Map<string, DerivedKeys>();

  constructor({ current, keys }: KeyRingOptions) {
    this.#materials = new Map(Object.entries(keys).map(([id, key]) => [checkedId(id), materialOf(id, key)]));
    if (!this.#materials.has(current)) {
      throw invalidKey(current, "is the current one, but is not among the keys");
    }
    this.current = current;
  }

  /** The current one first. */
  ids(): string[] {
    return Array.from(new Set([this.current, ...this.#materials.keys()]));
  }

  async get(id: string): Promise<DerivedKeys> {
    const known = this.#derived.get(id);
    if (known !== undefined) return known;
    const material = this.#materials.get(id);
    if (material === undefined) throw new MissingKeyError(id, Array.from(this.#materials.keys()));
    const derived = await derive(material);
    this.#derived.set(id, derived);
    return derived;
  }
}

async function derive(material: Uint8Array<ArrayBuffer>): Promise<DerivedKeys> {
  const base = await crypto.subtle.importKey("raw", material, "HKDF", false, ["deriveKey"]);
  const part = (
    use: string,
    algorithm: { name: string; length: number; hash?: string },
    usages: ("encrypt" | "decrypt" | "sign")[],
  ) => {
    const info = new TextEncoder().encode(`tidemark ${use}`);
    const from = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info };
    return crypto.subtle.deriveKey(from, base, algorithm, false, usages);
  };
  const [cipher, fingerprint] = await Promise.all([
    part("values", { name: "AES-GCM", length: 256 }, ["encrypt", "decrypt"]),
    part("fingerprints", { name: "HMAC", hash: "SHA-256", length: 256 }, ["sign"]),
  ]);
  return { cipher, fingerprint };
}

function checkedId(id: string): string {
  const size = new TextEncoder().encode(id).length;
  if (size === 0 || size > MAX_ID) throw invalidKey(id, `needs an id of 1 to ${MAX_ID} bytes`);
  return id;
}

function materialOf(id: string, key: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = typeof key === "string" ? bytesOf(key) : key instanceof Uint8Array ? key.slice() : undefined;
  if (bytes === undefined || bytes.length !== KEY_SIZE) {
    throw invalidKey(
      id,
      `has to be ${KEY_SIZE} random bytes, or these as base64: openssl rand -base64 ${KEY_SIZE}`,
    );
  }
  return bytes;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64.trim()), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function invalidKey(id: string, problem: string): TidemarkError {
  return new TidemarkError("invalid_encryption_key", `The encryption key "${id}" ${problem}.`, {
    details: { key_id: id },
  });
}
