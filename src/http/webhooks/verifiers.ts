import { fromHex } from "../../hex.ts";
import type { VerifyWebhook } from "./source.ts";

/** Secrets that a sender may have signed with: several while one takes the place of another. */
export type Secrets = string | readonly string[] | ((env: Cloudflare.Env) => string | readonly string[]);

export interface TimedOptions {
  /** How far the time of a signature may be from now, in seconds; 300 by default. */
  readonly tolerance?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const TOLERANCE = 300;

/** Signatures as of https://www.standardwebhooks.com: `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
export function standardWebhooks(secrets: Secrets, options: TimedOptions = {}): VerifyWebhook {
  return async ({ headers, body }, env) => {
    const id = headers.get("webhook-id");
    const timestamp = headers.get("webhook-timestamp");
    if (id === null || timestamp === null || !isRecent(timestamp, options)) return false;
    const signatures = (headers.get("webhook-signature") ?? "")
      .split(" ")
      .flatMap((part) => (part.startsWith("v1,") ? [fromBase64(part.slice(3))] : []));
    const keys = secretsOf(secrets, env).map((secret) => fromBase64(secret.replace(/^whsec_/, "")));
    return isSigned(keys, signatures, [encode(`${id}.${timestamp}.`), body]);
  };
}

/** Stripe's: `stripe-signature` holds a time and signatures of it and the body. */
export function stripeWebhooks(secrets: Secrets, options: TimedOptions = {}): VerifyWebhook {
  return async ({ headers, body }, env) => {
    const parts = (headers.get("stripe-signature") ?? "").split(",").map((part) => part.trim().split("="));
    const timestamp = parts.find(([name]) => name === "t")?.[1];
    if (timestamp === undefined || !isRecent(timestamp, options)) return false;
    const signatures = parts.flatMap(([name, value]) => (name === "v1" ? [signatureOf(value ?? "")] : []));
    const keys = secretsOf(secrets, env).map(encode);
    return isSigned(keys, signatures, [encode(`${timestamp}.`), body]);
  };
}

/** GitHub's: `x-hub-signature-256` is that of the body. It has no time: repeats are told by their delivery's id. */
export function githubWebhooks(secrets: Secrets): VerifyWebhook {
  return async ({ headers, body }, env) => {
    const [scheme, signature = ""] = (headers.get("x-hub-signature-256") ?? "").split("=");
    if (scheme !== "sha256") return false;
    return isSigned(secretsOf(secrets, env).map(encode), [signatureOf(signature)], [body]);
  };
}

function secretsOf(secrets: Secrets, env: Cloudflare.Env): readonly string[] {
  const given = typeof secrets === "function" ? secrets(env) : secrets;
  return [given].flat().filter((secret) => typeof secret === "string" && secret !== "");
}

/** Whether one of the signatures is that of one of the keys; compared in constant time. */
async function isSigned(
  keys: readonly (Uint8Array | undefined)[],
  signatures: readonly (Uint8Array | undefined)[],
  parts: readonly Uint8Array[],
): Promise<boolean> {
  const signed = new Uint8Array(await new Blob(parts.map((part) => new Uint8Array(part))).arrayBuffer());
  for (const bytes of keys) {
    if (bytes === undefined || bytes.length === 0) continue;
    const hmac = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", new Uint8Array(bytes), hmac, false, ["verify"]);
    for (const signature of signatures) {
      if (signature === undefined) continue;
      if (await crypto.subtle.verify("HMAC", key, new Uint8Array(signature), signed)) return true;
    }
  }
  return false;
}

/** `timestamp`: seconds since 1970. */
function isRecent(
  timestamp: string,
  { tolerance = TOLERANCE, now = () => Date.now() }: TimedOptions,
): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(now() / 1000 - Number(timestamp)) <= tolerance;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function signatureOf(text: string): Uint8Array | undefined {
  return /^(?:[\da-f]{2})+$/i.test(text) ? fromHex(text) : undefined;
}

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
