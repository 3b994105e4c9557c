import { RefusedError } from "../../errors.ts";

const permissions = {
  "POST /threads": "threads:create",
  "POST /threads/search": "threads:search",
  "POST /threads/count": "threads:search",
  "POST /runs": "threads:create_run",
  "POST /runs/wait": "threads:create_run",
  "POST /runs/stream": "threads:create_run",
  "POST /runs/batch": "threads:create_run",
  "POST /runs/cancel": "threads:update",
  "GET /runs/:run_id/join": "threads:read",
  "GET /runs/:run_id/stream": "threads:read",
  "POST /runs/crons": "crons:create",
  "POST /runs/crons/search": "crons:search",
  "POST /runs/crons/count": "crons:search",
  "PATCH /runs/crons/:cron_id": "crons:update",
  "DELETE /runs/crons/:cron_id": "crons:delete",
  "POST /assistants": "assistants:create",
  "POST /assistants/search": "assistants:search",
  "POST /assistants/count": "assistants:search",
  "GET /assistants/:assistant_id": "assistants:read",
  "PATCH /assistants/:assistant_id": "assistants:update",
  "DELETE /assistants/:assistant_id": "assistants:delete",
  "POST /assistants/:assistant_id/versions": "assistants:read",
  "POST /assistants/:assistant_id/latest": "assistants:update",
  "GET /assistants/:assistant_id/graph": "assistants:read",
  "GET /assistants/:assistant_id/schemas": "assistants:read",
  "GET /assistants/:assistant_id/subgraphs": "assistants:read",
  "GET /assistants/:assistant_id/subgraphs/:namespace": "assistants:read",
  "PUT /store/items": "store:put",
  "GET /store/items": "store:get",
  "DELETE /store/items": "store:delete",
  "POST /store/items/search": "store:search",
  "POST /store/namespaces": "store:list_namespaces",
  "DELETE /tenant": "tenant:erase",
  "POST /directory/rebuild": "admin:rebuild_directory",
  "GET /interrupts": "threads:read",
  "GET /openapi.json": "assistants:read",
  "GET /docs": "assistants:read",
  "GET /threads/:thread_id": "threads:read",
  "PATCH /threads/:thread_id": "threads:update",
  "POST /threads/:thread_id/invoke": "threads:create_run",
  "POST /threads/:thread_id/resume": "threads:create_run",
  "POST /threads/:thread_id/stream": "threads:create_run",
  "POST /threads/:thread_id/runs": "threads:create_run",
  "POST /threads/:thread_id/runs/wait": "threads:create_run",
  "POST /threads/:thread_id/runs/stream": "threads:create_run",
  "GET /threads/:thread_id/runs": "threads:read",
  "GET /threads/:thread_id/runs/:run_id": "threads:read",
  "GET /threads/:thread_id/runs/:run_id/join": "threads:read",
  "POST /threads/:thread_id/runs/:run_id/cancel": "threads:update",
  "DELETE /threads/:thread_id/runs/:run_id": "threads:delete",
  "GET /threads/:thread_id/runs/:run_id/stream": "threads:read",
  "POST /threads/:thread_id/commands": "threads:read",
  "GET /threads/:thread_id/stream/events": "threads:read",
  "POST /threads/:thread_id/stream/events": "threads:read",
  "GET /threads/:thread_id/stream": "threads:read",
  "GET /threads/:thread_id/deliveries": "threads:read",
  "GET /threads/:thread_id/usage": "threads:read",
  "GET /threads/:thread_id/state": "threads:read",
  "GET /threads/:thread_id/state/:checkpoint_id": "threads:read",
  "POST /threads/:thread_id/state": "threads:update",
  "PATCH /threads/:thread_id/state": "threads:update",
  "POST /threads/:thread_id/runs/crons": "crons:create",
  "GET /threads/:thread_id/runs/crons": "crons:read",
  "DELETE /threads/:thread_id/runs/crons/:cron_id": "crons:delete",
  "POST /threads/:thread_id/events/:key": "threads:create_run",
  "GET /threads/:thread_id/history": "threads:read",
  "POST /threads/:thread_id/history": "threads:read",
  "POST /threads/:thread_id/state/checkpoint": "threads:read",
  "GET /threads/:thread_id/export": "threads:read",
  "POST /threads/:thread_id/import": "threads:create",
  "POST /threads/:thread_id/copy": "threads:create",
  "POST /threads/:thread_id/prune": "threads:delete",
  "POST /threads/prune": "threads:delete",
  "DELETE /threads/:thread_id": "threads:delete",
} as const satisfies Readonly<Record<string, string>>;

/** A route for which somebody has to be allowed. */
export type GuardedRoute = keyof typeof permissions;

/**
 * What each route needs, in the words that LangGraph's platform has for its resources and actions. A route that is not
 * here is served to nobody, and a test says so.
 */
export const PERMISSIONS: Readonly<Record<string, string>> = permissions;

/**
 * Whether one of the scopes covers the permission. Whoever may do everything may do it with what their tenant has: what is
 * about all tenants has to be named.
 */
export function covers(scopes: readonly string[], permission: string): boolean {
  const [resource = "", action = ""] = permission.split(":");
  const wide = resource === "admin" ? [] : [`*:${action}`, "*"];
  const grants = new Set([permission, `${resource}:*`, ...wide]);
  return scopes.some((scope) => grants.has(scope));
}

export function forbidden(permission: string): RefusedError {
  return new RefusedError("forbidden", `This needs the permission "${permission}", which the caller lacks.`, {
    details: { permission },
  });
}
