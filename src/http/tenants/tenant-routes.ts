import type { Context } from "hono";
import { Hono } from "../hono.ts";
import { GRAPH_CRONS } from "../../graph-crons.ts";
import type { DirectoryApi } from "../../directory/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { parseQuery } from "../requests/body.ts";
import { inGroups } from "../in-groups.ts";
import { removeThread } from "../threads/remove-thread.ts";
import { directoryOf } from "../threads/search-routes.ts";
import { EraseTenantQuery } from "./tenant-schemas.ts";
import { namedThread } from "../thread-call.ts";
import { tried } from "../tried.ts";

interface Kept {
  readonly thread_id: string;
  readonly code: string;
}

/** What is done with all that a tenant has. */
export function tenantRoutes(options: AppOptions): Hono {
  const app = new Hono();

  /** Some threads in each call: whoever asks for it asks until nothing is left, and may break off in between. */
  app.delete("/", async (context) => {
    const { limit } = parseQuery(context.req, EraseTenantQuery);
    const directory = directoryOf(context, options);
    // What would make new threads goes first.
    const kept = [
      ...(await deleteThreads(context, options, directory, [GRAPH_CRONS])),
      ...(await deleteThreads(context, options, directory, await directory.beginErasure(limit))),
    ];
    const left = kept.length > 0 ? await directory.threadsLeft() : await directory.erase();
    return context.json({ erased: kept.length + left === 0, threads_left: left, failed: kept });
  });

  return app;
}

/** Gives those that could not be deleted. */
async function deleteThreads(
  context: Context,
  options: AppOptions,
  directory: DirectoryApi,
  ids: readonly string[],
): Promise<readonly Kept[]> {
  const kept: Kept[] = [];
  await inGroups(ids, async (id) => {
    const reply = await tried(options.report, () => removeThread(namedThread(context, options, id)));
    if (reply.ok || reply.error.code === "thread_not_found") await directory.endErasure(id);
    else kept.push({ thread_id: id, code: reply.error.code });
  });
  return kept;
}
