import { checkOptions, type OptionRules } from "./checked-options.ts";
import { isObject } from "./values/containers.ts";
import type { JsonObject } from "./directory/protocol.ts";
import { TidemarkError } from "./errors.ts";
import { AuthRefusal } from "./http/auth/auth-refusal.ts";
import type { Authenticate, Authorize, Principal, Verdict } from "./http/auth/principal.ts";
import { PERMISSIONS } from "./http/auth/permissions.ts";
import { type Json, plainJson } from "./json.ts";

/**
 * Authentication and authorization by the handlers of an `Auth` of `@langchain/langgraph-sdk/auth`, an entry of its own.
 *
 * @module
 */

type Callback = (request: never) => unknown;

/** An `Auth` of `@langchain/langgraph-sdk/auth`. */
export interface LangGraphAuth {
  readonly "~handlerCache": {
    readonly authenticate?: (request: Request) => unknown;
    readonly callbacks?: Readonly<Record<string, Callback>>;
  };
}

/** What `authenticate` has found out. */
export interface LangGraphUser {
  readonly identity: string;
  readonly permissions: readonly string[];
  readonly display_name: string;
  readonly is_authenticated: boolean;
  readonly [key: string]: unknown;
}

export interface LangGraphAuthOptions {
  /** Whose threads they are; all users have one tenant unless said otherwise, and handlers keep them apart. */
  readonly tenant?: (user: LangGraphUser) => string;
  /** What they may do before handlers are asked: all with threads, assistants, crons and the store unless said otherwise. */
  readonly scopes?: (user: LangGraphUser) => readonly string[];
}

const OPTIONS: OptionRules<LangGraphAuthOptions> = { tenant: "a function", scopes: "a function" };

/** What handlers are asked about: one of another name would let everything happen. */
const EVENTS: ReadonlySet<string> = new Set([
  "*",
  ...Object.values(PERMISSIONS).flatMap((permission) => {
    const [resource = "", action = ""] = permission.split(":");
    return [resource, permission, `*:${action}`];
  }),
]);

const SCOPES = ["threads:*", "assistants:*", "crons:*", "store:*"];

/**
 * Serves those whom the handlers of an `Auth` let in. No header makes anyone somebody else: Studio's users are users like
 * others.
 *
 * @example
 * import { Auth } from "@langchain/langgraph-sdk/auth";
 * const auth = new Auth()
 *   .authenticate(async (request) => whoIs(request.headers.get("authorization")))
 *   .on("threads", ({ value, user }) => {
 *     if ("metadata" in value) value.metadata = { ...value.metadata, owner: user.identity };
 *     return { owner: user.identity };
 *   });
 * createRuntime({ graphs, auth: langgraphAuth(auth) });
 */
export function langgraphAuth(auth: LangGraphAuth, options: LangGraphAuthOptions = {}): Authenticate {
  checkOptions("langgraphAuth()", options, OPTIONS);
  const { tenant = () => "", scopes = () => SCOPES } = options;
  for (const event of Object.keys(auth["~handlerCache"].callbacks ?? {}))
    if (!EVENTS.has(event))
      throw invalidAuth(
        `its handler of "${event}" would never be asked; name one of ${[...EVENTS].join(", ")}`,
      );
  if (auth["~handlerCache"].authenticate === undefined) {
    throw invalidAuth("it says nothing of who makes a request: call .authenticate()");
  }
  return async (request): Promise<Principal | undefined> => {
    const { authenticate } = auth["~handlerCache"];
    // Bodies are read once, by the routes.
    const { url, method, headers } = request;
    const found = await handled(() => authenticate?.(new Request(url, { method, headers })));
    const user = found == null ? undefined : userOf(found);
    if (user === undefined || !user.is_authenticated) return undefined;
    return {
      tenant: tenant(user),
      caller: user.identity,
      scopes: scopes(user),
      authorize: authorizeFor(auth, user),
      configurable: {
        langgraph_auth_user: plainJson(user),
        langgraph_auth_user_id: user.identity,
        langgraph_auth_permissions: [...user.permissions],
      },
    };
  };
}

function userOf(found: unknown): LangGraphUser {
  if (typeof found === "string") return userOf({ identity: found });
  const said: Readonly<Record<string, unknown>> = isObject(found) ? { ...found } : {};
  const { identity, permissions, display_name: name, is_authenticated: isAuthenticated } = said;
  if (typeof identity !== "string")
    throw invalidAuth('authenticate() has answered with neither a text nor an "identity"');
  return {
    ...said,
    identity,
    permissions: Array.isArray(permissions) ? permissions.map(String) : [],
    display_name: typeof name === "string" ? name : identity,
    is_authenticated: isAuthenticated !== false,
  };
}

/** The most specific handler decides, and no other. Without one, everything may be done. */
function authorizeFor(auth: LangGraphAuth, user: LangGraphUser): Authorize {
  return async ({ resource, action, value }) => {
    const { callbacks = {} } = auth["~handlerCache"];
    const keys = [`${resource}:${action}`, resource, `*:${action}`, "*"];
    const key = keys.find((each) => Object.hasOwn(callbacks, each));
    const callback = key === undefined ? undefined : callbacks[key];
    if (callback === undefined) return true;
    const event = {
      event: `${resource}:${action}`,
      resource,
      action,
      value,
      user,
      permissions: user.permissions,
    };
    // What handlers are given is said by the type of `Auth.on`.
    return verdictOf(await handled(() => callback(event as never)));
  };
}

function verdictOf(result: unknown): Verdict {
  if (result === undefined || result === null) return true;
  if (typeof result === "boolean") return result;
  if (typeof result !== "object" || Array.isArray(result)) {
    throw invalidAuth("a handler has answered with something else than true, false, nothing or a filter");
  }
  return accessOf(result);
}

/** A filter as what metadata has to contain. */
function accessOf(filter: object): JsonObject {
  return Object.fromEntries(
    Object.entries(filter).map(([key, condition]) => [key, wantedBy(key, condition)]),
  );
}

function wantedBy(key: string, condition: unknown): Json {
  if (isScalar(condition)) return condition;
  const operators = isObject(condition) ? Object.entries(condition) : [];
  const [operator, operand]: readonly unknown[] = operators[0] ?? [];
  if (operators.length === 1 && operator === "$eq" && isScalar(operand)) return operand;
  const elements: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (operators.length === 1 && operator === "$contains" && elements.every(isScalar)) return elements;
  throw invalidAuth(
    `a handler has answered with a filter that says nothing of "${key}"; it takes a value, $eq or $contains`,
  );
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/**
 * What handlers refuse with, an `HTTPException` of 4xx, is known by what it has: the library may be there more than once, and
 * classes lose their names where a Worker is made small. Whatever else has a status is a fault, of a client of theirs as a rule,
 * whose text is for nobody.
 */
async function handled(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const headers = "headers" in error ? new Headers(error.headers as HeadersInit) : new Headers();
    throw new AuthRefusal(error.status, error.message, headers);
  }
}

/** A status, headers, and nothing else: errors of clients also have a response, a code, the request. */
function isRefusal(error: unknown): error is Error & { readonly status: number } {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return false;
  const own = Object.keys(error).toSorted();
  return own.join() === "headers,status" && error.status >= 400 && error.status <= 499;
}

function invalidAuth(problem: string): TidemarkError {
  return new TidemarkError("invalid_auth", `The configured Auth cannot be used: ${problem}.`);
}
