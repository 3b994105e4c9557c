import { TidemarkError, type ErrorOptions } from "../../../errors.ts";

/** Stored bytes cannot be decrypted; `code` says why. */
export class DecryptionError extends TidemarkError {
  constructor(code: string, problem: string, options: ErrorOptions = {}) {
    super(code, `Cannot decrypt stored data: ${problem}.`, options);
    this.name = "DecryptionError";
  }
}

/** Stored bytes were encrypted with a key that is not in the key ring. */
export class MissingKeyError extends DecryptionError {
  constructor(keyId: string, known: readonly string[]) {
    super(
      "encryption_key_missing",
      `it was encrypted with the key "${keyId}", which is not in the key ring (${known.join(", ")}); add that key to it again`,
      { details: { key_id: keyId, known } },
    );
    this.name = "MissingKeyError";
  }
}
