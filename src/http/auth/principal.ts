import { isRecord } from "../../values/containers.ts";
import type { JsonObject } from "../../directory/protocol.ts";
import { TidemarkError } from "../../errors.ts";

/** Who makes a request, and what they may do. */
export interface Principal {
  /** Whose threads these are. Every object's name holds it: no request of one tenant reaches what another has. */
  readonly tenant: string;
  /** Who it is within the tenant: recorded with answers, and keys of requests are each caller's own. */
  readonly caller: string;
  /** As in `"threads:read"`, `"threads:*"`, `"*:read"` and `"*"`: see {@link PERMISSIONS}. */
  readonly scopes: readonly string[];
  /** Decides beyond the scopes: it is asked about everything that the caller wants to do. */
  readonly authorize?: Authorize;
  /**
   * What graphs find of the caller in `config.configurable`, in the place of what the request says there. Give every caller the
   * same keys: of a key that a caller does not get, that caller's requests can say what they like.
   */
  readonly configurable?: Readonly<Record<string, unknown>>;
}

/** What is about to be done, in the words of LangGraph's platform. */
export interface AuthorizationRequest {
  /** As in "threads". */
  readonly resource: string;
  /** As in "create_run". */
  readonly action: string;
  /** What the request says of it. Its `metadata` may be changed: that is what is done then. */
  readonly value: Record<string, unknown>;
}

/** Whether it may be done, or only where the metadata of the thing contains this: without it, there is no such thing. */
export type Verdict = boolean | JsonObject;

export type Authorize = (request: AuthorizationRequest) => Promise<Verdict>;

/**
 * Says who makes a request, undefined or null when it does not say so or says it wrongly. It must not read the body. What it throws
 * is a fault of the server.
 */
export type Authenticate = (
  request: Request,
  env: Cloudflare.Env,
) => Principal | null | undefined | Promise<Principal | null | undefined>;

/** Who is served as long as no authentication is configured: whoever is on this machine. */
export const LOCAL_PRINCIPAL: Principal = { tenant: "", caller: "", scopes: ["*", "admin:*"] };

/** In bytes of UTF-8; as much as a thread id, which stands beside it in an object's name. */
const MAX_LENGTH = 256;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Whether the text can be a tenant, or the name of a caller. */
export function isPrincipalName(text: string): boolean {
  return (
    text.isWellFormed() && !CONTROL.test(text) && new TextEncoder().encode(text).byteLength <= MAX_LENGTH
  );
}

/** Refuses what must not become a part of an object's name, and what says nothing of what the caller may do. */
export function checkPrincipal(principal: Principal): Principal {
  const said: Partial<Record<keyof Principal, unknown>> = principal;
  const { tenant, caller, scopes, authorize, configurable = {} } = said;
  const isNamed = [tenant, caller].every((name) => typeof name === "string" && isPrincipalName(name));
  const isScoped = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
  const mayDecide = authorize === undefined || typeof authorize === "function";
  if (isNamed && isScoped && mayDecide && isRecord(configurable)) return principal;
  throw new TidemarkError(
    "invalid_principal",
    `The configured auth has to answer with a tenant and a caller, texts of up to ${MAX_LENGTH} bytes without control characters, and scopes, a list of texts; \`authorize\` is a function, and \`configurable\` an object.`,
  );
}

declare module "hono" {
  interface ContextVariableMap {
    principal: Principal;
  }
}
