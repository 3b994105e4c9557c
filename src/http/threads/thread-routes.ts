import type { Context } from "hono";
import { Hono } from "../hono.ts";
import type { JsonObject } from "../../directory/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { authorize, authorizedMetadata } from "../auth/authorization.ts";
import { parseBody, parseQuery, sentBody } from "../requests/body.ts";
import { givenOrNewId } from "../new-id.ts";
import { requestConditions } from "../requests/request-conditions.ts";
import { call, callWhole, jsonResponse, namedThread, refusal, requestedThread } from "../thread-call.ts";
import { requireThreadId } from "../requests/thread-id.ts";
import {
  CreateThreadBody,
  PatchStateBody,
  PatchThreadBody,
  ThreadQuery,
  threadOptions,
} from "./thread-schemas.ts";

/** Threads as such: made before their first run, described, found again. */
export function threadRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/", async (context) => {
    const body = await parseBody(context.req, CreateThreadBody, options.maxBodySize);
    const { thread_id: given, if_exists: ifExists } = body;
    const id = requireThreadId(givenOrNewId(context, given));
    const asked = { thread_id: id, metadata: { ...body.metadata }, if_exists: ifExists };
    const metadata = authorizedMetadata((await authorize(context, "threads:create", asked)).metadata);
    const thread = namedThread(context, options, id);
    const { idempotency } = await requestConditions(context, sentBody(context.req));
    // A thread that is there may be the one that an earlier attempt of this call has made.
    let mayBeOurs = given == null;
    const reply = await callWhole(thread, (api) => {
      const create = {
        ...thread.address,
        ...threadOptions(body),
        metadata,
        ...(idempotency && { idempotency }),
        ifExists: mayBeOurs ? "do_nothing" : ifExists,
      } as const;
      mayBeOurs = true;
      return api.createThread(create);
    });
    return jsonResponse(context, reply);
  });

  app.get("/:thread_id", async (context) => {
    const thread = requestedThread(context, options);
    parseQuery(context.req, ThreadQuery);
    return jsonResponse(context, await call(thread, (api) => api.getThread(thread.address)));
  });

  app.get("/:thread_id/usage", async (context) => {
    const thread = requestedThread(context, options);
    return jsonResponse(context, await call(thread, (api) => api.getUsage(thread.address)));
  });

  app.patch("/:thread_id", async (context) => {
    const { threadId } = requestedThread(context, options).address;
    const body = await parseBody(context.req, PatchThreadBody, options.maxBodySize);
    const metadata = await patchedMetadata(context, threadId, body.metadata);
    const thread = namedThread(context, options, threadId);
    const patch = { ...thread.address, metadata, ...(body.ttl != null && { ttl: body.ttl }) };
    const reply = await callWhole(thread, (api) => api.patchThread(patch));
    const isMinimal = context.req.header("prefer")?.includes("return=minimal") === true;
    return reply.ok && isMinimal ? context.body(null, 204) : jsonResponse(context, reply);
  });

  /** The metadata of a state are those of its thread. */
  app.patch("/:thread_id/state", async (context) => {
    const { threadId } = requestedThread(context, options).address;
    const body = await parseBody(context.req, PatchStateBody, options.maxBodySize);
    const metadata = await patchedMetadata(context, threadId, body.metadata);
    const thread = namedThread(context, options, threadId);
    const reply = await callWhole(thread, (api) => api.patchThread({ ...thread.address, metadata }));
    return reply.ok ? context.body(null, 204) : refusal(context, reply);
  });

  return app;
}

/** As whoever authorizes it says. */
async function patchedMetadata(
  context: Context,
  threadId: string,
  metadata: JsonObject,
): Promise<JsonObject> {
  const asked = { thread_id: threadId, metadata: { ...metadata } };
  return authorizedMetadata((await authorize(context, "threads:update", asked)).metadata);
}
