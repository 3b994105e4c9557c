import * as v from "valibot";
import { Hono } from "../hono.ts";
import type { AppOptions } from "../app-options.ts";
import { parseQuery } from "../requests/body.ts";
import { errorResponse } from "../errors.ts";
import { objectName } from "../object-name.ts";
import { callThread } from "../thread-stub.ts";

export const HealthQuery = v.object({ check_db: v.optional(v.picklist(["0", "1", "false", "true"]), "0") });

/** A thread that nobody has: ids are not empty. Asking for it leaves nothing behind. */
const NOBODY = { tenant: "", threadId: "" };

/** Whether the server is there; with `check_db` also whether it reaches the objects that it keeps everything in. */
export function healthRoutes({ threads, directories }: AppOptions): Hono {
  const app = new Hono();

  app.get("/ok", async (context) => {
    const { check_db: check } = parseQuery(context.req, HealthQuery);
    if (check === "1" || check === "true") {
      const name = objectName(NOBODY.tenant, NOBODY.threadId);
      const reply = await callThread(threads(context.env, NOBODY), name, (thread) =>
        thread.getThread(NOBODY),
      );
      if (!reply.ok && reply.error.code !== "thread_not_found") return errorResponse(context, reply.error);
      await directories(context.env)?.(NOBODY.tenant).getThreads([NOBODY.threadId]);
    }
    return context.json({ ok: true });
  });

  return app;
}
