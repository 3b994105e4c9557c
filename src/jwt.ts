import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from "jose";
import {
  areTexts,
  checkOptions,
  invalidOptions,
  isText,
  type OptionRule,
  type OptionRules,
} from "./checked-options.ts";
import { StorageError } from "./errors.ts";
import { isRecord } from "./values/containers.ts";
import { credentialOf } from "./http/auth/credential.ts";
import { type Authenticate, isPrincipalName, type Principal } from "./http/auth/principal.ts";

/**
 * Authentication by signed tokens (RFC 7519), an entry of its own since it brings a library along.
 *
 * @module
 */

export interface JwtOptions {
  /**
   * Where the issuer publishes its keys, or the keys themselves. Keys that are fetched are kept for ten minutes, and fetched anew
   * for a token of another, twice a minute at most.
   */
  readonly keys: string | URL | JSONWebKeySet;
  readonly issuer: string | string[];
  /** Whom the tokens are for: without it, a token that the issuer made for another service would be taken. */
  readonly audience: string | string[];
  /** Of signatures by private keys; RS256, PS256, ES256 and EdDSA by default. */
  readonly algorithms?: readonly string[];
  /** The claim that names the tenant, and without which a token is refused. Absent: all have one tenant. */
  readonly tenant?: string;
  /** The claim with the scopes, a list or a text with spaces. Absent: whoever has a token may do everything. */
  readonly scopes?: string;
  /** By how many seconds the issuer's clock may differ from ours; 0 by default. */
  readonly clockTolerance?: number;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
}

const NAMES: OptionRule = ["a text, or a list of texts", (value) => isText(value) || areTexts(value)];

const OPTIONS: OptionRules<JwtOptions> = {
  keys: ['the address of the issuer\'s keys, as in "https://id.example.com/jwks.json", or a JWKS', areKeys],
  issuer: NAMES,
  audience: NAMES,
  algorithms: "a list of texts",
  tenant: "a text",
  scopes: "a text",
  clockTolerance: [
    "seconds, 0 or more",
    (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
  ],
  now: "a function",
};

function areKeys(value: unknown): boolean {
  if (typeof value === "string" || value instanceof URL) return URL.canParse(String(value));
  return isRecord(value) && Array.isArray(value["keys"]);
}

/** What a token can be that does not hold. Anything else is no fault of who sent it. */
const REFUSED: readonly string[] = [
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
].map(({ code }) => code);

/**
 * Serves those who bring a token of the issuer. The caller is the claim `sub`.
 *
 * @example
 * createRuntime({
 *   graphs,
 *   auth: jwt({ keys: "https://id.example.com/jwks.json", issuer: "https://id.example.com", audience: "agents", tenant: "org_id" }),
 * });
 */
export function jwt(options: JwtOptions): Authenticate {
  checkOptions("jwt()", options, OPTIONS);
  // Without one of them tokens would be taken that are for others, or of others.
  for (const name of ["keys", "issuer", "audience"] as const)
    if (options[name] === undefined) throw invalidOptions(`jwt(): "${name}" is missing`);
  const {
    keys,
    issuer,
    audience,
    algorithms = ["RS256", "PS256", "ES256", "EdDSA"],
    clockTolerance = 0,
    now = Date.now,
  } = options;
  const keySet =
    typeof keys === "string" || keys instanceof URL
      ? createRemoteJWKSet(new URL(keys))
      : createLocalJWKSet(keys);
  return async (request) => {
    const token = credentialOf(request);
    if (token === undefined) return undefined;
    try {
      const rules = {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance,
        currentDate: new Date(now()),
        requiredClaims: ["exp", "sub"],
      };
      return principalOf(await claimsOf(token, keySet, rules), options);
    } catch (error) {
      if (error instanceof errors.JOSEError && REFUSED.includes(error.code)) return undefined;
      throw unavailable(error);
    }
  };
}

/** A token need not name its key: then each is tried that it may be. */
async function claimsOf(token: string, keys: JWTVerifyGetKey, rules: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, rules)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, rules)).payload;
      } catch (refusal) {
        if (!(refusal instanceof errors.JWSSignatureVerificationFailed)) throw refusal;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Undefined for a token that lacks what is wanted of it. */
function principalOf(
  payload: JWTPayload,
  { tenant: tenantClaim, scopes: scopesClaim }: JwtOptions,
): Principal | undefined {
  const caller = payload.sub;
  const tenant = tenantClaim === undefined ? "" : payload[tenantClaim];
  const isNamed = isName(caller) && (tenantClaim === undefined || isName(tenant));
  if (!isNamed || typeof tenant !== "string") return undefined;
  return { tenant, caller, scopes: scopesClaim === undefined ? ["*"] : scopesOf(payload[scopesClaim]) };
}

function isName(claim: unknown): claim is string {
  return typeof claim === "string" && claim !== "" && isPrincipalName(claim);
}

function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ");
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === "string") : [];
}

function unavailable(cause: unknown): StorageError {
  return new StorageError(
    "auth_unavailable",
    "The keys of the tokens' issuer cannot be read now. Send the request again later.",
    {
      cause,
    },
  );
}
