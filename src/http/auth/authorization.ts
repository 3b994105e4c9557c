import type { Context } from "hono";
import { isObject, isRecord } from "../../values/containers.ts";
import { isList } from "../../values/contains.ts";
import type { JsonObject } from "../../directory/protocol.ts";
import { TidemarkError } from "../../errors.ts";
import { inTime } from "../../in-time.ts";
import { isJson, plainJson } from "../../json.ts";
import { MAX_METADATA, requireMetadataSize } from "../../metadata-limits.ts";
import { pathPart } from "../requests/path-part.ts";
import { forbidden } from "./permissions.ts";

/** What the handlers have said of the things that a request may know of, by their resource. */
export type Access = Readonly<Record<string, JsonObject | undefined>>;

/** What a request says of these stands in its body too: their routes ask by themselves, with all of it. */
const ASKED_BY_ROUTES =
  /^(?:threads:(?:create|create_run|search)|assistants:(?:create|search|update)|crons:.*|store:.*)$/;
const ROUTES_THAT_ASK: ReadonlySet<string> = new Set([
  "PATCH /threads/:thread_id",
  "POST /threads/prune",
  "POST /runs/cancel",
]);

/** Asks about a request that says all that there is to say in its path. */
export async function authorizePath(
  context: Context,
  route: { readonly method: string; readonly path: string },
  permission: string,
): Promise<void> {
  if (ASKED_BY_ROUTES.test(permission) || ROUTES_THAT_ASK.has(`${route.method} ${route.path}`)) return;
  if (context.get("principal").authorize === undefined) return;
  await authorize(context, permission, namedIn(route.path, context.req.path));
}

/**
 * Asks whether the caller may do this. What comes back is what is to be done: handlers change its metadata. What they say of
 * the things that there are for the caller holds for the rest of the request: see {@link accessTo}.
 */
export async function authorize<Value extends Record<string, unknown>>(
  context: Context,
  permission: string,
  value: Value,
): Promise<Value> {
  const { authorize: decide } = context.get("principal");
  if (decide === undefined) return value;
  const [resource = "", action = ""] = permission.split(":");
  const asked = { ...value };
  const verdict: unknown = await inTime("auth_unavailable", () => decide({ resource, action, value: asked }));
  if (verdict === false) throw forbidden(permission);
  const access = verdict === true ? undefined : filterIn(verdict);
  context.set("access", { ...context.get("access"), [resource]: access });
  return asked;
}

/** What is no filter must not let anybody in. */
function filterIn(verdict: unknown): JsonObject {
  if (isRecord(verdict) && isJson(verdict)) return verdict;
  throw new TidemarkError(
    "invalid_auth",
    "A handler of the configured auth has answered with neither true, false nor a filter of JSON.",
  );
}

/** What the metadata of a thing has to contain for the caller to know of it; undefined: whatever it has. */
export function accessTo(context: Context, resource: string): JsonObject | undefined {
  return context.get("access")?.[resource];
}

/** The metadata of what was authorized, as handlers have left it, up to so many characters. What is no JSON object is their fault. */
export function authorizedMetadata(metadata: unknown, limit = MAX_METADATA): JsonObject {
  const plain = plainJson(metadata ?? {});
  if (!isObject(plain) || isList(plain)) {
    throw new TidemarkError(
      "invalid_auth",
      "A handler of the configured auth has set metadata that is no object.",
    );
  }
  requireMetadataSize(plain, limit);
  return plain;
}

/** The parts of the path that the route has names for. */
function namedIn(pattern: string, path: string): Record<string, unknown> {
  const named = pattern
    .split("/")
    .flatMap((part, index) => (part.startsWith(":") ? [[part.slice(1), pathPart(path, index)]] : []));
  return Object.fromEntries(named) as Record<string, unknown>;
}

declare module "hono" {
  interface ContextVariableMap {
    access: Access | undefined;
  }
}
