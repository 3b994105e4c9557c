import type { Context } from "hono";
import { Hono } from "../hono.ts";
import type { JsonObject } from "../../directory/protocol.ts";
import { RefusedError, StorageError } from "../../errors.ts";
import type { ByteStream, ImportedThread, Reply } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { requirePermission } from "../auth/authentication.ts";
import { authorize, authorizedMetadata } from "../auth/authorization.ts";
import { givenOrNewId } from "../new-id.ts";
import { once } from "../once.ts";
import { parseBody, parseQuery } from "../requests/body.ts";
import { removeThread } from "./remove-thread.ts";
import { CopyBody, NoQuery, PruneBody, type PruneRequest, PruneThreadsBody } from "../requests/schemas.ts";
import {
  call,
  callWhole,
  jsonResponse,
  namedThread,
  refusal,
  requestedThread,
  type RequestedThread,
} from "../thread-call.ts";
import { requireThreadId } from "../requests/thread-id.ts";

/** Threads of a list that are left as they are. */
const SKIPPED = new Set(["thread_not_found", "thread_busy"]);

/** Pruning several threads at once. */
export function pruneRoute(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/prune", async (context) => {
    const { thread_ids: ids, ...body } = await parseBody(context.req, PruneThreadsBody, options.maxBodySize);
    const threads: RequestedThread[] = [];
    for (const id of ids.map(requireThreadId)) {
      await authorize(context, "threads:delete", { thread_id: id });
      threads.push(namedThread(context, options, id));
    }
    let pruned = 0;
    const make = async (): Promise<Response> => {
      for (const thread of threads) {
        const reply = await prune(thread, body);
        if (reply.ok) pruned += 1;
        else if (!SKIPPED.has(reply.error.code)) return refusal(context, reply);
      }
      return context.json({ pruned_count: pruned });
    };
    const again = (count: string): Response => context.json({ pruned_count: Number(count) });
    return once(context, options, make, again, () => String(pruned));
  });

  return app;
}

/** Pruning, deleting and copying a thread. */
export function lifeCycleRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/prune", async (context) => {
    const thread = requestedThread(context, options);
    const body = await parseBody(context.req, PruneBody, options.maxBodySize);
    const make = async (): Promise<Response> => done(context, await prune(thread, body));
    return once(context, options, make, () => context.body(null, 204));
  });

  app.post("/copy", async (context) => {
    const { threadId } = requestedThread(context, options).address;
    parseQuery(context.req, NoQuery);
    const { thread_id: given } = await parseBody(context.req, CopyBody, options.maxBodySize);
    const id = requireThreadId(givenOrNewId(context, given));
    requirePermission(context, "threads:read");
    await authorize(context, "threads:read", { thread_id: threadId });
    const source = namedThread(context, options, threadId);
    const asked = { thread_id: id, metadata: {}, if_exists: "raise" };
    const metadata = authorizedMetadata((await authorize(context, "threads:create", asked)).metadata);
    const target = namedThread(context, options, id);
    const again = async (): Promise<Response> => {
      await authorize(context, "threads:read", { thread_id: id });
      const { address } = namedThread(context, options, id);
      return jsonResponse(context, await callWhole(target, (api) => api.getThread(address)));
    };
    const make = async (): Promise<Response> => {
      const exported = await call(source, (api) => api.exportThread(source.address));
      if (!exported.ok) return refusal(context, exported);
      const reply = await receive(target, metadata, exported.value);
      if (!reply.ok) {
        // Under an id that follows from the key there is what the same call has made before.
        const isMade = given === undefined && reply.error.code === "thread_exists";
        return isMade ? again() : refusal(context, reply);
      }
      const { tenant } = target.address;
      // Of what the caller has made they may know, whatever handlers show them else.
      return jsonResponse(context, await callWhole(target, (api) => api.getThread({ tenant, threadId: id })));
    };
    return once(context, options, make, again);
  });

  app.delete("/", async (context) => done(context, await removeThread(requestedThread(context, options))));

  return app;
}

function prune(thread: RequestedThread, body: PruneRequest): Promise<Reply<null>> {
  if (body.strategy === "delete") return removeThread(thread);
  const { keep_last: keepLast, older_than: olderThan } = body;
  const age = olderThan === undefined ? {} : { olderThan };
  return call(thread, (api) => api.pruneThread({ ...thread.address, keepLast, ...age }));
}

/** Hands an export on to the thread that is to be a copy. */
async function receive(
  target: RequestedThread,
  metadata: JsonObject,
  exported: ByteStream,
): Promise<Reply<ImportedThread>> {
  const { readable, writable } = new IdentityTransformStream();
  let isBroken = false;
  const sending = exported.pipeTo(writable).catch(() => {
    isBroken = true;
  });
  let attempts = 0;
  try {
    return await call(target, (api) => {
      attempts += 1;
      // What was exported can be sent once only.
      if (attempts > 1) throw interrupted();
      return api.importThread({ ...target.address, metadata, isCopy: true }, readable);
    });
  } catch (error) {
    await sending;
    throw isBroken ? changed(error) : error;
  }
}

function done(context: Context, reply: Reply<null>): Response {
  return reply.ok ? context.body(null, 204) : refusal(context, reply);
}

function changed(cause: unknown): RefusedError {
  const message =
    "The thread was written, or reset, while it was being copied. Nothing stays of the copy; ask again.";
  return new RefusedError("thread_busy", message, { cause });
}

function interrupted(): StorageError {
  return new StorageError(
    "thread_unavailable",
    "An object was reset while the thread was being copied. Nothing stays of the copy; ask again.",
  );
}
