/** Signatures by HMAC with SHA-256, of Web Crypto. */

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
const encoder = new TextEncoder();

export async function sign(secret: Uint8Array, text: string): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", secret, ALGORITHM, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
}

/** Takes the same time for every wrong signature. */
export async function verify(secret: Uint8Array, text: string, signature: Uint8Array): Promise<boolean> {
  const key = await crypto.subtle.importKey("raw", secret, ALGORITHM, false, ["verify"]);
  return crypto.subtle.verify("HMAC", key, signature, encoder.encode(text));
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Undefined when it is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Undefined when it is none. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined;
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}
