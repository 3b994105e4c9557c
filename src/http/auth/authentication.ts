import type { Context, MiddlewareHandler } from "hono";
import { RefusedError } from "../../errors.ts";
import { inTime } from "../../in-time.ts";
import { type Route, routeOf } from "../route-of.ts";
import { AuthRefusal } from "./auth-refusal.ts";
import { authorizePath } from "./authorization.ts";
import { covers, forbidden, PERMISSIONS } from "./permissions.ts";
import { type Authenticate, checkPrincipal, LOCAL_PRINCIPAL, type Principal } from "./principal.ts";
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
export function authentication(options: AuthenticationOptions): MiddlewareHandler {
  return async (context, next) => {
    await authenticateAs(context, options, context.req.raw);
    await next();
  };
}

/** Finds out from `request` who makes the request of the context, and refuses what they may not do. */
export async function authenticateAs(
  context: Context,
  { auth, rateLimiter }: AuthenticationOptions,
  request: Request,
): Promise<void> {
  const authenticate = auth ?? (() => LOCAL_PRINCIPAL);
  const limit = (caller: Principal | undefined): Promise<void> =>
    limitRate(rateLimiter(context.env), request, caller);
  let principal: Principal | undefined;
  try {
    const asked = withSocketCredential(request);
    const answer = await inTime("auth_unavailable", () => authenticate(asked, context.env as Cloudflare.Env));
    // Whatever is nothing is nobody.
    principal = answer || undefined;
  } catch (error) {
    if (error instanceof RefusedError) await limit(undefined);
    throw error;
  }
  await limit(principal);
  if (principal === undefined) throw unauthenticated();
  context.set("principal", checkPrincipal(principal));
  const route = routeOf(context);
  if (route === undefined) return;
  const permission = neededFor(route);
  requirePermission(context, permission);
  await authorizePath(context, route, permission);
}

/** For what a route needs only sometimes. */
export function requirePermission(context: Context, permission: string): void {
  if (!covers(context.get("principal").scopes, permission)) throw forbidden(permission);
}

/** What the route of the request needs, if it has one. */
export function permissionOf(context: Context): string | undefined {
  const route = routeOf(context);
  return route && neededFor(route);
}

/** A route without a row needs what only those have who may do everything. */
function neededFor({ method, path }: Route): string {
  return PERMISSIONS[`${method} ${path}`] ?? "*";
}

export function unauthenticated(): AuthRefusal {
  return new AuthRefusal(
    401,
    'The request does not say who makes it, or what it says does not hold. Send the key as "authorization: Bearer …" or as "x-api-key: …".',
    new Headers({ "www-authenticate": "Bearer" }),
  );
}
