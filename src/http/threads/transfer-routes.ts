import { Hono } from "../hono.ts";
import { RefusedError, StorageError } from "../../errors.ts";
import type { AppOptions } from "../app-options.ts";
import { authorize, authorizedMetadata } from "../auth/authorization.ts";
import { parseQuery } from "../requests/body.ts";
import { requestConditions } from "../requests/request-conditions.ts";
import { NoQuery } from "../requests/schemas.ts";
import { call, refusal, requestedThread } from "../thread-call.ts";
import { Upload } from "../requests/upload.ts";

const ARCHIVE = "application/vnd.tidemark.thread";
const ACCEPTED = [ARCHIVE, "application/octet-stream"];

/** Moving a thread as one file. */
export function transferRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.get("/export", async (context) => {
    const thread = requestedThread(context, options);
    parseQuery(context.req, NoQuery);
    const reply = await call(thread, (api) => api.exportThread(thread.address));
    if (!reply.ok) return refusal(context, reply);
    return context.body(reply.value, 200, {
      "content-type": ARCHIVE,
      "content-disposition": 'attachment; filename="thread.tidemark"',
    });
  });

  app.post("/import", async (context) => {
    const thread = requestedThread(context, options);
    parseQuery(context.req, NoQuery);
    const { body } = context.req.raw;
    const type = context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (body === null || !ACCEPTED.some((accepted) => accepted === type)) throw notAnArchive();
    const { threadId } = thread.address;
    const asked = { thread_id: threadId, metadata: {}, if_exists: "raise" };
    const metadata = authorizedMetadata((await authorize(context, "threads:create", asked)).metadata);
    const { idempotency } = await requestConditions(context, undefined);
    const target = { ...thread.address, metadata, ...(idempotency && { idempotency }) };
    const upload = new Upload(body);
    let attempts = 0;
    const reply = await call(thread, (api) => {
      attempts += 1;
      // The body can be sent once only.
      if (attempts > 1) throw interrupted();
      return api.importThread(target, upload.readable);
    });
    await upload.end();
    if (!reply.ok) return refusal(context, reply);
    return context.json({ thread_id: threadId, ...reply.value }, 201);
  });

  return app;
}

function notAnArchive(): RefusedError {
  return new RefusedError(
    "unsupported_media_type",
    `Send the bytes of an export, with the header "content-type: ${ARCHIVE}".`,
  );
}

function interrupted(): StorageError {
  return new StorageError(
    "thread_unavailable",
    "The thread's object was reset during the import. Nothing stays of it; send the archive again.",
  );
}
