import type { Context } from "hono";
import { Hono } from "./hono.ts";
import { GRAPH_CRONS } from "../graph-crons.ts";
import type { DirectoryApi } from "../directory/protocol.ts";
import type { AppOptions } from "./app.ts";
import { parseQuery } from "./body.ts";
import { failureCode } from "./failure-code.ts";
import { removeThread } from "./remove-thread.ts";
import { directoryOf } from "./search-routes.ts";
import { EraseTenantQuery } from "./tenant-schemas.ts";
import { namedThread } from "./thread-call.ts";

/** Threads that are deleted at once. */
const AT_ONCE = 8;

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
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const deleting = ids.slice(start, start + AT_ONCE).map(async (id) => {
      const code = await failureCode(options.report, () => removeThread(namedThread(context, options, id)));
      if (code === undefined || code === "thread_not_found") await directory.endErasure(id);
      else kept.push({ thread_id: id, code });
    });
    await Promise.all(deleting);
  }
  return kept;
}
