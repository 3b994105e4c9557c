import { isObject } from "../../values/containers.ts";
import type { HonoRequest } from "hono";
import * as v from "valibot";
import { RefusedError, messageOf } from "../../errors.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Levels of nesting. The serializer keeps 500, and what is sent becomes a part of something larger. */
const MAX_DEPTH = 400;

/** Reads a body of JSON, within the limit in bytes, and checks it. An empty body counts as `{}`. */
export async function parseBody<Schema extends v.GenericSchema>(
  request: HonoRequest,
  schema: Schema,
  limit: number,
): Promise<v.InferOutput<Schema>> {
  const text = await readText(request, limit);
  if (text !== "" && !isJson(request.header("content-type"))) {
    throw new RefusedError(
      "unsupported_media_type",
      'Send the body as JSON, with the header "content-type: application/json".',
    );
  }
  const value = text === "" ? {} : parseJson(text);
  sentBodies.set(request.raw, value);
  return check(schema, value, "body");
}

const sentBodies = new WeakMap<Request, unknown>();

/** The body that was parsed, as it was sent: what another version of the server adds or leaves out is no part of it. */
export function sentBody(request: HonoRequest): unknown {
  return sentBodies.get(request.raw);
}

/** Checks parameters of the query: of one that is repeated, the list of its values. */
export function parseQuery<Schema extends v.GenericSchema>(
  request: HonoRequest,
  schema: Schema,
): v.InferOutput<Schema> {
  const given = Object.entries(request.queries()).map(([key, values]) => [
    key,
    values.length === 1 ? values[0] : values,
  ]);
  return check(schema, Object.fromEntries(given), "query");
}

export function check<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  where: string,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const issues = result.issues.map((issue) => ({ path: v.getDotPath(issue) ?? "", message: issue.message }));
  const [first] = issues;
  const place = first === undefined || first.path === "" ? `the ${where}` : `"${first.path}" in the ${where}`;
  throw new RefusedError(
    "invalid_request",
    `The request is not valid at ${place}: ${first?.message ?? "unknown"}`,
    { details: { issues } },
  );
}

/** A body as it was sent, within the limit in bytes. */
export async function readBytes(request: HonoRequest, limit: number): Promise<Uint8Array> {
  const announced = Number(request.header("content-length"));
  if (announced > limit) throw tooLarge(announced, limit);
  const bytes = announced > 0 ? await request.raw.bytes() : await readUnannounced(request, limit);
  if (bytes.byteLength > limit) throw tooLarge(bytes.byteLength, limit);
  return bytes;
}

export async function readText(request: HonoRequest, limit: number): Promise<string> {
  const bytes = await readBytes(request, limit);
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new RefusedError("invalid_json", "The body is not valid UTF-8.", { cause });
  }
}

/** Stops reading at the limit. */
async function readUnannounced(request: HonoRequest, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of request.raw.body?.values({ preventCancel: true }) ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(size, limit);
    chunks.push(chunk);
  }
  return new Blob(chunks).bytes();
}

export function parseJson(text: string): unknown {
  const value = parsed(text);
  if (isDeeper(value, MAX_DEPTH)) {
    throw new RefusedError("invalid_request", `The body is nested in more than ${MAX_DEPTH} levels.`, {
      details: { limit: MAX_DEPTH },
    });
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RefusedError("invalid_json", `The body is not valid JSON: ${messageOf(cause)}`, { cause });
  }
}

/** Goes level by level: a depth that matters here is one that recursion cannot be trusted with. */
function isDeeper(value: unknown, limit: number): boolean {
  let level: readonly object[] = [{ value }];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((container) => Object.values(container).filter(isObject));
  }
  return false;
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "");
}

function tooLarge(size: number, limit: number): RefusedError {
  return new RefusedError("body_too_large", `The body has at least ${size} bytes; the limit is ${limit}.`, {
    details: { limit },
  });
}
