import type { Context } from "hono";
import type { Bytes, ByteStream, Reply, ThreadAddress, ThreadApi } from "../thread/protocol.ts";
import type { AppOptions } from "./app-options.ts";
import { accessTo } from "./auth/authorization.ts";
import { errorResponse, failureResponse } from "./errors.ts";
import { objectName } from "./object-name.ts";
import { noteOfRequest } from "./middleware/request-log.ts";
import { parseThreadId } from "./requests/thread-id.ts";
import { callThread, type ThreadNamespace } from "./thread-stub.ts";

export interface RequestedThread {
  readonly address: ThreadAddress;
  readonly namespace: ThreadNamespace;
  readonly name: string;
}

export function requestedThread(context: Context, options: AppOptions): RequestedThread {
  return namedThread(context, options, parseThreadId(rawThreadId(context.req.path)));
}

export function namedThread(context: Context, options: AppOptions, threadId: string): RequestedThread {
  noteOfRequest(context, { thread_id: threadId });
  const thread = tenantObject(context, options, threadId);
  const access = accessTo(context, "threads");
  return access === undefined ? thread : { ...thread, address: { ...thread.address, access } };
}

/** An object of the caller's tenant, for what is no matter of access to a thread. */
export function tenantObject(context: Context, options: AppOptions, threadId: string): RequestedThread {
  const { tenant } = context.get("principal");
  noteOfRequest(context, { tenant });
  return {
    address: { tenant, threadId },
    namespace: options.threads(context.env, { tenant, request: context.req.raw }),
    name: objectName(tenant, threadId),
  };
}

export function call<Value>(
  thread: RequestedThread,
  method: (api: ThreadApi) => Promise<Reply<Value>>,
): Promise<Reply<Value>> {
  return callThread(thread.namespace, thread.name, method);
}

/** As `call`; the answer is read to its end: a reset in the middle of it is then a reset like any other. */
export function callWhole(
  thread: RequestedThread,
  method: (api: ThreadApi) => Promise<Reply<Bytes>>,
): Promise<Reply<WholeText>> {
  return call(thread, async (api): Promise<Reply<WholeText>> => {
    const answer = await method(api);
    return answer.ok ? { ok: true, value: await whole(answer.value) } : answer;
  });
}

/** JSON text of which everything is here. */
export type WholeText = Exclude<Bytes, ByteStream>;

/** Reads a text to its end. */
export async function whole(text: Bytes): Promise<WholeText> {
  if (!(text instanceof ReadableStream)) return text;
  try {
    return new Uint8Array(await new Response(text).arrayBuffer());
  } catch (cause) {
    throw new CutOffError("The answer has broken off.", { cause });
  }
}

/** A stream says only that it broke off, and not why. Objects let none of theirs break off: this one was reset. */
class CutOffError extends Error {
  readonly durableObjectReset = true;
}

/** A reply of JSON text as a response. */
export function jsonResponse(context: Context, reply: Reply<Bytes>): Response {
  if (!reply.ok) return refusal(context, reply);
  return context.body(reply.value, 200, { "content-type": "application/json" });
}

export function refusal(context: Context, reply: Extract<Reply<unknown>, { ok: false }>): Response {
  return reply.isFailed ? failureResponse(context, reply.error) : errorResponse(context, reply.error);
}

/** The id as it stands in the path, since a router's parameter is decoded leniently. */
function rawThreadId(path: string): string {
  return path.split("/")[2] ?? "";
}
