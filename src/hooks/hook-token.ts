import { RefusedError } from "../errors.ts";
import { fromBase64Url, sign, toBase64Url, verify } from "./hmac.ts";
import type { HookKey } from "./hook-keys.ts";

/** What a link is good for: one answer to one question. */
export interface Hook {
  readonly tenant: string;
  readonly threadId: string;
  readonly checkpointId: string;
  readonly interruptId: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** Of this link: it is used once. */
  readonly nonce: string;
}

/** Signed together with the text, so that a signature of it counts nowhere else. */
const PURPOSE = "tidemark hook 1\n";

type Fields = readonly [keyId: string, tenant: string, threadId: string, ...others: unknown[]];

export async function mintHook(keys: readonly HookKey[], hook: Hook): Promise<string> {
  const [key] = keys;
  if (key === undefined) throw new TypeError("There is no key to sign with.");
  const { tenant, threadId, checkpointId, interruptId, expires, nonce } = hook;
  const fields = [key.id, tenant, threadId, checkpointId, interruptId, expires, nonce];
  const text = toBase64Url(new TextEncoder().encode(JSON.stringify(fields)));
  return `${text}.${toBase64Url(await sign(secretOf(key), PURPOSE + text))}`;
}

/** Refuses every token that none of the keys has signed with `invalid_hook`, whatever is wrong with it. */
export async function readHook(keys: readonly HookKey[], token: string, now: number): Promise<Hook> {
  const [text = "", signed = ""] = token.split(".");
  const signature = fromBase64Url(signed);
  const fields = fieldsOf(text);
  const key = keys.find(({ id }) => id === fields?.[0]);
  const isSigned =
    key !== undefined &&
    signature !== undefined &&
    `${text}.${signed}` === token &&
    (await verify(secretOf(key), PURPOSE + text, signature));
  if (!isSigned || fields === undefined) {
    throw new RefusedError("invalid_hook", "This link is not one of ours, or not whole.");
  }
  const [, tenant, threadId, checkpointId, interruptId, expires, nonce] = fields;
  if (Number(expires) <= now) throw new RefusedError("hook_expired", "The time of this link is over.");
  return {
    tenant,
    threadId,
    checkpointId: String(checkpointId),
    interruptId: String(interruptId),
    expires: Number(expires),
    nonce: String(nonce),
  };
}

function fieldsOf(text: string): Fields | undefined {
  const bytes = fromBase64Url(text);
  if (bytes === undefined) return undefined;
  try {
    const fields: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isFields(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return (
    Array.isArray(value) && value.length === 7 && value.slice(0, 3).every((part) => typeof part === "string")
  );
}

function secretOf({ secret }: HookKey): Uint8Array {
  return new TextEncoder().encode(secret);
}
