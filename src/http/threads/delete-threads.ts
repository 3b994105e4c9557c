import type { Context } from "hono";
import type { JsonObject } from "../../directory/protocol.ts";
import type { Reply } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { accessTo, authorize } from "../auth/authorization.ts";
import { removeThread } from "./remove-thread.ts";
import { directoryOf } from "./search-routes.ts";
import { namedThread } from "../thread-call.ts";

const OLDEST_FIRST = { by: "created_at", descending: false } as const;
/** Threads that are looked for at once. */
const PAGE = 100;

/** Deletes every thread with this metadata that the caller may know of, one after the other. Gives why it has ended before, if it has. */
export async function deleteThreads(
  context: Context,
  options: AppOptions,
  metadata: JsonObject,
): Promise<Extract<Reply<null>, { ok: false }> | undefined> {
  const directory = directoryOf(context, options);
  const tried = new Set<string>();
  const access = accessTo(context, "threads");
  const filter = { metadata, ...(access && { access }) };
  for (;;) {
    const found = await directory.findThreads(filter, OLDEST_FIRST, tried.size + PAGE);
    const ids = found.map(({ threadId }) => threadId).filter((id) => !tried.has(id));
    if (ids.length === 0) return undefined;
    for (const id of ids) {
      tried.add(id);
      await authorize(context, "threads:delete", { thread_id: id });
      const reply = await removeThread(namedThread(context, options, id));
      if (!reply.ok && reply.error.code !== "thread_not_found") return reply;
    }
  }
}
