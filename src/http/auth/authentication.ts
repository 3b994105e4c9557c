import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { RefusedError } from "../../errors.ts";
import { authorizePath } from "./authorization.ts";
import { covers, forbidden, PERMISSIONS } from "./permissions.ts";
import { type Authenticate, checkPrincipal, LOCAL_PRINCIPAL } from "./principal.ts";
import { withSocketCredential } from "./socket-credential.ts";
import { limitRate, type RateLimiter } from "./rate-limit.ts";

export interface AuthenticationOptions {
  /** Absent: everyone on this machine may do everything. */
  readonly auth?: Authenticate | undefined;
  /** Finds the limiter among the Worker's bindings. */
  readonly rateLimiter: (env: unknown) => RateLimiter | undefined;
}

/**
 * Finds out who makes the request, and refuses what they may not do. Whoever is nobody learns nothing, not even which
 * routes there are.
 */
export function authentication({ auth, rateLimiter }: AuthenticationOptions): MiddlewareHandler {
  const authenticate = auth ?? (() => LOCAL_PRINCIPAL);
  return async (context, next) => {
    const { raw } = context.req;
    const principal = await authenticate(withSocketCredential(raw), context.env as Cloudflare.Env);
    await limitRate(rateLimiter(context.env), raw, principal);
    if (principal === undefined) {
      context.header("www-authenticate", "Bearer");
      throw unauthenticated();
    }
    context.set("principal", checkPrincipal(principal));
    const route = routeOf(context);
    if (route !== undefined) {
      const permission = neededFor(route);
      requirePermission(context, permission);
      await authorizePath(context, route, permission);
    }
    await next();
  };
}

/** For what a route needs only sometimes. */
export function requirePermission(context: Context, permission: string): void {
  if (!covers(context.get("principal").scopes, permission)) throw forbidden(permission);
}

type Route = Pick<ReturnType<typeof matchedRoutes>[number], "method" | "path">;

/** Undefined for a request that no route takes. */
function routeOf(context: Context): Route | undefined {
  return matchedRoutes(context).findLast(({ method }) => method !== "ALL");
}

/** A route without a row needs what only those have who may do everything. */
function neededFor({ method, path }: Route): string {
  return PERMISSIONS[`${method} ${path}`] ?? "*";
}

function unauthenticated(): RefusedError {
  return new RefusedError(
    "unauthenticated",
    'The request does not say who makes it, or what it says does not hold. Send the key as "authorization: Bearer …" or as "x-api-key: …".',
  );
}
