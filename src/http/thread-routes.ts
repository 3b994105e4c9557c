import { Hono } from "hono";
import { v7 as uuid7 } from "uuid";
import type { AppOptions } from "./app.ts";
import { parseBody } from "./body.ts";
import { call, callWhole, jsonResponse, namedThread, requestedThread } from "./thread-call.ts";
import { requireThreadId } from "./thread-id.ts";
import { CreateThreadBody, PatchThreadBody } from "./thread-schemas.ts";

/** Threads as such: made before their first run, described, found again. */
export function threadRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/", async (context) => {
    const body = await parseBody(context.req, CreateThreadBody, options.maxBodySize);
    const { thread_id: id, metadata, if_exists: ifExists } = body;
    const thread = namedThread(context, options, requireThreadId(id ?? uuid7()));
    let attempts = 0;
    const reply = await callWhole(thread, (api) => {
      attempts += 1;
      // A thread that is there now may be the one that the first attempt has made.
      return api.createThread({
        ...thread.address,
        metadata,
        ifExists: attempts > 1 ? "do_nothing" : ifExists,
      });
    });
    return jsonResponse(context, reply);
  });

  app.get("/:thread_id", async (context) => {
    const thread = requestedThread(context, options);
    return jsonResponse(context, await call(thread, (api) => api.getThread(thread.address)));
  });

  app.patch("/:thread_id", async (context) => {
    const thread = requestedThread(context, options);
    const { metadata } = await parseBody(context.req, PatchThreadBody, options.maxBodySize);
    const reply = await callWhole(thread, (api) => api.patchThread({ ...thread.address, metadata }));
    return jsonResponse(context, reply);
  });

  return app;
}
