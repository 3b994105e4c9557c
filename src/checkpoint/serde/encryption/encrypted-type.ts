/** The type tag of what an `EncryptedSerializer` has written: whoever cannot read that sees nothing of it. */
export const ENCRYPTED = "encrypted";
