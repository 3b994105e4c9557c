import { TidemarkError } from "../errors.ts";
import { fromBase64, sign, toBase64 } from "./hmac.ts";

/** What the Standard Webhooks sign: its id, its time, and its body. */
export interface SignedMessage {
  readonly id: string;
  /** Milliseconds since 1970, of this delivery. */
  readonly time: number;
  readonly body: string;
}

const PREFIX = "whsec_";
const MIN_SECRET = 24;

/** The headers of the Standard Webhooks, with a signature by each of the secrets: receivers change theirs one by one. */
export async function webhookHeaders(
  secrets: readonly string[],
  { id, time, body }: SignedMessage,
): Promise<Record<string, string>> {
  const timestamp = Math.floor(time / 1000);
  const signatures = await Promise.all(
    secrets.map((secret) => sign(bytesOf(secret), `${id}.${timestamp}.${body}`)),
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.map((signature) => `v1,${toBase64(signature)}`).join(" "),
  };
}

export function checkWebhookSecrets(secrets: readonly string[]): readonly string[] {
  secrets.forEach(bytesOf);
  return secrets;
}

function bytesOf(secret: string): Uint8Array {
  const bytes = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : undefined;
  if (bytes !== undefined && bytes.byteLength >= MIN_SECRET) return bytes;
  throw new TidemarkError(
    "invalid_webhook_secret",
    `A secret of webhooks has to be "${PREFIX}" and ${MIN_SECRET} bytes at least in base64.`,
  );
}
