import type { Context } from "hono";
import { GRAPH_CRONS } from "../../graph-crons.ts";
import type { ListCrons, NamedCron } from "../../thread/protocol.ts";
import type { AppOptions } from "../app-options.ts";
import { requirePermission } from "../auth/authentication.ts";
import { accessTo, authorize } from "../auth/authorization.ts";
import { call, jsonResponse, namedThread, type RequestedThread, tenantObject } from "../thread-call.ts";

/** Asks whether the caller may know of the crons that are kept with a thread, and of which. */
export async function authorizedCrons(
  context: Context,
  options: AppOptions,
  threadId: string,
  asked: Record<string, unknown>,
): Promise<{ readonly thread: RequestedThread; readonly list: ListCrons }> {
  if (threadId !== GRAPH_CRONS) await authorize(context, "threads:read", { thread_id: threadId });
  await authorize(context, "crons:search", asked);
  const thread = keeperOf(context, options, threadId);
  return { thread, list: { ...thread.address, cronAccess: accessTo(context, "crons") } };
}

/** Answers a call that has made the cron before with what it is now. */
export async function readCron(
  context: Context,
  options: AppOptions,
  threadId: string,
  cronId: string,
): Promise<Response> {
  requirePermission(context, "crons:read");
  const { thread, list } = await authorizedCrons(context, options, threadId, { cron_id: cronId });
  return jsonResponse(context, await call(thread, (api) => api.getCron({ ...list, cronId })));
}

/** Asks whether the caller may do this with a cron, which changes the thread that it is of. */
export async function authorizedCronOf<Asked extends { readonly cron_id: string }>(
  context: Context,
  options: AppOptions,
  threadId: string,
  permission: string,
  asked: Asked & Record<string, unknown>,
): Promise<{ readonly thread: RequestedThread; readonly named: NamedCron; readonly authorized: Asked }> {
  if (threadId !== GRAPH_CRONS) await authorize(context, "threads:update", { thread_id: threadId });
  const authorized = await authorize(context, permission, asked);
  const thread = keeperOf(context, options, threadId);
  const named = { ...thread.address, cronId: asked.cron_id, cronAccess: accessTo(context, "crons") };
  return { thread, named, authorized };
}

/** The object that keeps the crons of graphs is no thread of anyone's: access is a matter of each cron there. */
export function keeperOf(context: Context, options: AppOptions, threadId: string): RequestedThread {
  const find = threadId === GRAPH_CRONS ? tenantObject : namedThread;
  return find(context, options, threadId);
}
