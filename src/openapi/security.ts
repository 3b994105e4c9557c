import { PERMISSIONS } from "../http/auth/permissions.ts";

/** How callers say who they are; another function of `auth` may want something else. */
export const SECURITY_SCHEMES = {
  bearer: { type: "http", scheme: "bearer", description: "An API key, or a token of the configured issuer." },
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "An API key." },
} as const;

/** What a caller of the route has to be allowed; undefined where everybody is served, or a signature is asked for. */
export function permissionOf(route: string): string | undefined {
  return PERMISSIONS[route];
}

/** By either scheme, with the permission. */
export function securityOf(route: string): readonly Readonly<Record<string, readonly string[]>>[] {
  const permission = permissionOf(route);
  if (permission === undefined) return [];
  return Object.keys(SECURITY_SCHEMES).map((scheme) => ({ [scheme]: [permission] }));
}
