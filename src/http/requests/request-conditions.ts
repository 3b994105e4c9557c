import { toHex } from "../../hex.ts";
import { isRecord } from "../../values/containers.ts";
import type { Context } from "hono";
import { RefusedError } from "../../errors.ts";
import type { Idempotency } from "../../thread/protocol.ts";
import { isUpgrade } from "../auth/socket-credential.ts";

/** What the headers of a request say about when it is to be done. */
export interface RequestConditions {
  readonly ifMatch?: string;
  readonly idempotency?: Idempotency;
}

const KEY = /^[\x21-\x7e]{1,255}$/;
/** As in RFC 9110, and without its quotes. */
const ETAG = /^"([\x21\x23-\x7e]+)"$|^([\x21\x23-\x7e]+)$/;

/** Reads `Idempotency-Key` and `If-Match`. `body` is what the request asks for. What opened a socket says nothing of its commands. */
export async function requestConditions(context: Context, body: unknown): Promise<RequestConditions> {
  if (isUpgrade(context.req.raw)) return {};
  const key = idempotencyKey(context);
  const match = context.req.header("if-match");
  return {
    ...(match !== undefined && { ifMatch: checkpointOf(match) }),
    ...(key !== undefined && { idempotency: await idempotencyOf(key, context, body) }),
  };
}

/** The key that says whether a request is the same as an earlier one, if it has one. */
export function idempotencyKey(context: Context): string | undefined {
  const key = context.req.header("idempotency-key");
  if (key === undefined || KEY.test(key)) return key;
  throw invalidHeader("Idempotency-Key", "1 to 255 characters of ASCII, without spaces");
}

/** What the key of a request says. A key is its caller's own; whoever has signed a link has no name. */
export async function idempotencyOf(key: string, context: Context, body: unknown): Promise<Idempotency> {
  const { method, path, url } = context.req;
  // A key is its thread's, so that the thread is no part of what it stands for.
  const route = path.replace(/^\/threads\/[^/]+/, "");
  const { searchParams: query } = new URL(url);
  query.sort();
  const text = `${method} ${route}?${query.toString()} ${JSON.stringify(body, inOrder)}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = toHex(new Uint8Array(digest));
  return { caller: context.get("principal")?.caller ?? "", key, hash };
}

/** The order of its keys is no part of what JSON says. */
function inOrder(_: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function checkpointOf(match: string): string {
  const [, quoted, bare] = ETAG.exec(match) ?? [];
  const id = quoted ?? bare;
  if (id === undefined || id === "*") throw invalidHeader("If-Match", "the id of one checkpoint");
  return id;
}

function invalidHeader(name: string, form: string): RefusedError {
  return new RefusedError("invalid_request", `The header ${name} has to be ${form}.`, {
    details: { header: name },
  });
}
