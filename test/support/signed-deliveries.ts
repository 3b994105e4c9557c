const SECRET = new TextEncoder().encode("secret");
export const TIME = 1_000_000;

export async function hmac(text: string, key = SECRET): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text)));
}

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

type Sign = (body: string, time?: number) => Promise<Record<string, string>>;

/** The headers with which each source of the test worker signs. */
export const signed: Record<string, Sign> = {
  github: async (body) => ({ "x-hub-signature-256": `sha256=${hex(await hmac(body))}` }),
  stripe: async (body, time = TIME) => ({
    "stripe-signature": `t=${time},v1=${"00".repeat(32)},v1=${hex(await hmac(`${time}.${body}`))}`,
  }),
  standard: async (body, time = TIME) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": String(time),
    "webhook-signature": `v1a,other v1,${base64(await hmac(`msg_1.${time}.${body}`))}`,
  }),
};
