import * as v from "valibot";
import { TidemarkError } from "../../errors.ts";
import { fromHex } from "../../hex.ts";
import { credentialOf } from "./credential.ts";
import type { Authenticate, Principal } from "./principal.ts";

const ApiKeySchema = v.strictObject({
  /** The SHA-256 of the key in hexadecimal: the key itself is kept nowhere. */
  hash: v.pipe(
    v.string(),
    v.regex(/^[0-9a-f]{64}$/i, "must be a SHA-256 in hexadecimal"),
    v.transform(fromHex),
  ),
  /** Who has the key. */
  name: v.pipe(v.string(), v.minLength(1, "must not be empty")),
  tenant: v.optional(v.string(), ""),
  /** All that there is unless given. */
  scopes: v.optional(v.array(v.string()), ["*"]),
  /** ISO 8601. */
  expires_at: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => !Number.isNaN(Date.parse(text)), "must be a time as in 2027-01-01T00:00:00Z"),
    ),
  ),
});

export type ApiKey = v.InferInput<typeof ApiKeySchema>;

const ApiKeys = v.array(ApiKeySchema);

/**
 * Serves those who have a key. Keys are long random texts, so their plain SHA-256 tells nothing of them; `tidemark key`
 * makes one.
 *
 * @param source The keys, or the JSON of a list of them, which belongs into a secret.
 * @example
 * createRuntime({ graphs, auth: apiKeys((env) => env.API_KEYS) });
 */
export function apiKeys(
  source: (env: Cloudflare.Env) => string | readonly ApiKey[],
  now: () => number = Date.now,
): Authenticate {
  return async (request, env) => {
    const keys = parseKeys(source(env));
    const credential = credentialOf(request);
    if (credential === undefined) return undefined;
    const hash = await sha256(credential);
    // Every key is looked at, whether or not one was found: the time that it takes says nothing.
    const found = keys.filter((candidate) => crypto.subtle.timingSafeEqual(candidate.hash, hash));
    const key = found.find((each) => !isExpired(each, now()));
    return key && principalOf(key);
  };
}

type ParsedKey = v.InferOutput<typeof ApiKeySchema>;

function principalOf({ tenant, name, scopes }: ParsedKey): Principal {
  return { tenant, caller: name, scopes };
}

function isExpired({ expires_at: expiresAt }: ParsedKey, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}

function parseKeys(source: string | readonly ApiKey[]): readonly ParsedKey[] {
  const result = v.safeParse(ApiKeys, typeof source === "string" ? parseJson(source) : source);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw invalidKeys(`${v.getDotPath(issue) ?? "the whole"}: ${issue.message}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words would show a part of the secret.
    throw invalidKeys("the whole: is not JSON");
  }
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

function invalidKeys(reason: string): TidemarkError {
  return new TidemarkError(
    "invalid_api_keys",
    `The configured API keys cannot be read, at ${reason}. They are a list as in [{"hash": "…", "name": "ci", "tenant": "acme", "scopes": ["threads:*"]}]; "npx tidemark key" makes one.`,
  );
}
